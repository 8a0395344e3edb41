import { describe, expect, it } from '@jest/globals';
import { checkItem } from '@ugc/items/changes/item-rules';
import { validate } from '@ugc/items/fields/json';
import { editSchema, uploadSchema } from '@ugc/items/fields/upload-schema';
import { codeOf, ERROR_CODES, type ErrorCode } from '@ugc/items/problems/error-codes';
import type { Problem } from '@ugc/items/problems/problem';
import { type ErrorDetail } from '@ugc/items/problems/problem';
import { PROBLEM_KINDS } from '@ugc/items/problems/problem-kinds';
import { FAULTS, PROBLEMS, saidFault, saidProblem } from '@ugc/web/page/api/said-problem';
import fc from 'fast-check';
import { z } from 'zod';
import { runs } from '../support/jest/long.ts';
import { defaultEnv } from '../support/processes/default-env.ts';

const LIMITS = defaultEnv();
const VALID = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };

function errorsOf(schema: z.ZodType, body: unknown): ErrorDetail[] {
  try {
    validate(schema, body);
    return [];
  } catch (error) {
    return (error as Problem).errors ?? [];
  }
}

describe('an error of a field', () => {
  const upload = uploadSchema(LIMITS);
  it.each<[string, object, Partial<ErrorDetail>]>([
    ['a missing field', { name: undefined }, { pointer: '#/name', code: 'required' }],
    ['a number instead of a text', { name: 7 }, { pointer: '#/name', code: 'wrong-type', values: { expected: 'string' } }],
    ['a text instead of a number', { version: '1' }, { pointer: '#/version', code: 'wrong-type', values: { expected: 'number' } }],
    ['an empty text', { name: '' }, { pointer: '#/name', code: 'too-short', values: { min: 1, is: 0 } }],
    ['a text that shows nothing', { name: ' ' }, { pointer: '#/name', code: 'blank' }],
    ['a long text', { tags: ['a', 'x'.repeat(80)] }, { pointer: '#/tags/1', code: 'too-long', values: { max: 64, is: 80 } }],
    ['a text that is not counted', { tags: ['x'.repeat(1_000)] }, { pointer: '#/tags/0', code: 'too-long', values: { max: 64 } }],
    ['many values', { tags: Array(40).fill('a') }, { pointer: '#/tags', code: 'too-many', values: { max: 32, is: 40 } }],
    ['a negative number', { version: -1 }, { pointer: '#/version', code: 'out-of-range', values: { min: 0, max: 2_147_483_647 } }],
    ['an unknown word', { visibility: 'secret' }, { pointer: '#/visibility', code: 'not-one-of', values: { allowed: 'public, unlisted, draft' } }], // prettier-ignore
  ])('has a code and values: %s', (_, changes, expected) =>
    expect(errorsOf(upload, { ...VALID, ...changes })).toEqual([{ detail: expect.any(String), ...expected }]),
  );

  it('is the only one of a text that is too long: no rule reads a megabyte that no field may have', () => {
    const long = 'a'.repeat(1_000_000);
    const longTexts = { name: `${long}\u0301`, fileName: `${long}/`, tags: [`${'\u0301\u0316'.repeat(500_000)}`] };
    expect(errorsOf(upload, { ...VALID, ...longTexts }).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['#/name', 'too-long'],
      ['#/fileName', 'too-long'],
      ['#/tags/0', 'too-long'],
    ]);
  });

  it('has none where no code fits, but always a detail', () =>
    expect(errorsOf(upload, { ...VALID, name: 'a\0' })).toEqual([{ pointer: '#/name', detail: 'must not contain U+0000' }]));

  it('never has another code or value than those of the table, whatever a body contains', () => {
    const anything = fc.oneof(fc.anything(), fc.string({ maxLength: 200 }), fc.integer(), fc.array(fc.string({ maxLength: 100 })));
    const body = fc.record(Object.fromEntries(Object.keys(VALID).concat('tags', 'visibility', 'publishAt', 'thumbnail').map((name) => [name, anything]))); // prettier-ignore
    fc.assert(
      fc.property(fc.oneof(body, fc.anything()), (value) => {
        for (const schema of [upload, editSchema(LIMITS)]) {
          for (const { code, values = {}, detail } of errorsOf(schema, value)) {
            expect(detail).not.toBe('');
            expect(Object.keys(ERROR_CODES)).toContain(code ?? 'required');
            const known = code === undefined ? [] : ERROR_CODES[code].values;
            expect(Object.keys(values).filter((name) => !known.includes(name))).toEqual([]);
          }
        }
      }),
      { numRuns: runs(200, 5_000) },
    );
  });

  it('has the code of the kind of check, also if its schema has a message of its own', () => {
    const schema = z.object({ n: z.int().min(1).max(5, 'must be at most 5'), list: z.array(z.string()).max(1) });
    const codes = (body: object) => schema.safeParse(body).error?.issues.map((issue) => codeOf(issue, body));
    expect(codes({ n: 9, list: ['a', 'b'] })).toEqual([{ code: 'out-of-range', values: { max: 5 } }, { code: 'too-many', values: { max: 1 } }]); // prettier-ignore
  });

  it('says what an item costs others', () => {
    const edit = { ...VALID, tags: [], data: '\u0001'.repeat(200_000) };
    const check = () => checkItem({ before: undefined, picture: undefined, edit }, { limits: { ...LIMITS, ITEM_MAX_BYTES: 1_000_000 }, declared: new Map() }); // prettier-ignore
    const error = expect.objectContaining({ pointer: '#/data', code: 'too-large', values: { max: 1_000_000, is: expect.any(Number) } });
    expect(check).toThrow(expect.objectContaining({ errors: [error] }));
  });
});

describe('the page says in its language', () => {
  const sample = (code: ErrorCode): Record<string, string | number> =>
    Object.fromEntries(ERROR_CODES[code].values.map((name) => [name, name === 'expected' ? 'number' : 3]));

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('an error with the code %s', (code) => {
    expect(Object.keys(FAULTS).concat('wrong-type')).toContain(code);
    expect(saidFault({ code, values: sample(code), detail: 'DETAIL' })).not.toContain('DETAIL');
  });

  it('and shows the detail of an error that it does not know, or whose values are missing', () => {
    expect(saidFault({ detail: 'must be one line' })).toBe('This must be one line.');
    expect(saidFault({ code: 'of-a-later-release', detail: 'must be green' })).toBe('This must be green.');
    expect(saidFault({ code: 'too-long', detail: 'must be shorter' })).toBe('This must be shorter.');
    expect(saidProblem({ type: '/docs#rate-exceeded', detail: 'The limit is 5.' })).toBe('The limit is 5.');
    expect(saidProblem({ type: '/docs#of-a-later-release', detail: 'No.' })).toBe('No.');
    expect(saidProblem({ type: '/docs#own-item', detail: 'No.' })).not.toBe('No.');
  });

  it('only kinds and codes that exist', () => {
    expect(Object.keys(PROBLEMS).filter((kind) => !(kind in PROBLEM_KINDS))).toEqual([]);
    expect(Object.keys(FAULTS).filter((code) => !(code in ERROR_CODES))).toEqual([]);
  });
});
