import { describe, expect, it } from '@jest/globals';
import { allEndpoints } from '@ugc/api/endpoints/endpoints';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { checkItem } from '@ugc/items/changes/item-rules';
import { Decision } from '@ugc/items/changes/review';
import { validate } from '@ugc/items/fields/json';
import { editSchema, uploadSchema } from '@ugc/items/fields/upload-schema';
import { codeOf, ERROR_CODES, type ErrorCode } from '@ugc/items/problems/error-codes';
import type { Problem } from '@ugc/items/problems/problem';
import { type ErrorDetail } from '@ugc/items/problems/problem';
import { PROBLEM_KINDS } from '@ugc/items/problems/problem-kinds';
import { FAULTS, PROBLEMS, saidFault, saidProblem } from '@ugc/web/page/api/said-problem';
import { checkConditions } from '@ugc/api/search/where';
import fc from 'fast-check';
import { z } from 'zod';
import { declared as definitionsOf } from '../support/database/declared-fields.ts';
import { png } from '../support/database/images.ts';
import { runs } from '../support/jest/long.ts';
import { defaultEnv } from '../support/processes/default-env.ts';

const LIMITS = defaultEnv();
const VALID = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };

function problemOf(check: () => unknown): ErrorDetail[] {
  try {
    check();
    return [];
  } catch (error) {
    return (error as Problem).errors ?? [];
  }
}

const errorsOf = (schema: z.ZodType, body: unknown): ErrorDetail[] => problemOf(() => validate(schema, body));

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
    ['a fraction', { version: 1.5 }, { pointer: '#/version', code: 'wrong-type', values: { expected: 'integer' } }],
    ['no time', { publishAt: 'tomorrow' }, { pointer: '#/publishAt', code: 'wrong-type', values: { expected: 'time' } }],
    [
      'a large picture',
      { thumbnail: 'A'.repeat(800_000) },
      { pointer: '#/thumbnail', code: 'too-large', values: { max: LIMITS.THUMBNAIL_MAX_BYTES } },
    ],
    [
      'a wide picture',
      { thumbnail: png({ width: 5_000, height: 2 }).toString('base64') },
      { pointer: '#/thumbnail', code: 'too-large', values: { max: 4_096, is: 5_000 } },
    ],
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

  it('has a code and values: no reason of a refusal', () =>
    expect(errorsOf(Decision, { decision: 'refuse' })).toEqual([expect.objectContaining({ pointer: '#/reason', code: 'required' })]));

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

// A schema of the OpenAPI document.
type Schema = any;
/** What a schema does not allow, and how its error is named. */
type Breach = { value: unknown; code: ErrorCode; values?: object };

/** Each bound and each type of a schema, broken. Texts are longer, and numbers larger, by one. */
function breachesOf(schema: Schema, isText: boolean): Breach[] {
  const { type: types, enum: allowed, minimum: min, maximum: max, minLength, maxLength, maxItems, items = {} } = schema;
  const [type] = [types].flat();
  const wrongType = (value: unknown, expected: string): Breach => ({ value, code: 'wrong-type', values: { expected } });
  if (allowed) return [{ value: 'no such value', code: 'not-one-of', values: { allowed: allowed.filter((each: unknown) => each !== null).join(', ') } }]; // prettier-ignore
  if (type === 'array') {
    const tooMany = (max: number): Breach => ({ value: Array(max + 1).fill('1'), code: 'too-many', values: { max, is: max + 1 } });
    return [
      ...(maxItems === undefined ? [] : [tooMany(maxItems)]),
      ...breachesOf(items, isText).map((each) => ({ ...each, value: [each.value] })),
    ];
  }
  if (type === 'integer' || type === 'number') {
    const outside = [min - 1, max + 1].map((value): Breach => ({ value, code: 'out-of-range', values: { min, max } }));
    return [...outside, wrongType('x', 'number'), ...(type === 'integer' ? [wrongType(min + 0.5, 'integer')] : [])];
  }
  if (type === 'boolean')
    return [isText ? { value: 'x', code: 'not-one-of', values: { allowed: 'true, false' } } : wrongType('x', 'boolean')];
  if (type !== 'string') return [];
  return [
    ...(isText ? [] : [wrongType(7, schema.format === 'date' ? 'date' : 'string')]),
    ...(maxLength === undefined
      ? []
      : [{ value: 'x'.repeat(maxLength + 1), code: 'too-long', values: { max: maxLength, is: maxLength + 1 } } as const]),
    ...(minLength === 1 && !isText ? [{ value: '', code: 'too-short', values: { min: 1, is: 0 } } as const] : []),
    ...(/^date/.test(schema.format) || schema.pattern?.startsWith('^(\\d{4}-')
      ? [wrongType('yesterday', schema.format === 'date' ? 'date' : 'time')]
      : []),
  ];
}

const withoutNull = (schema: Schema): Schema => schema.anyOf?.find((each: Schema) => each.type !== 'null') ?? schema;

describe('each bound and type of the OpenAPI document has its code and all of its values', () => {
  const declared = definitionsOf({
    licence: { type: 'keyword', values: ['MIT', 'CC0-1.0'] },
    studio: { type: 'keyword', many: true },
    players: { type: 'number', min: 1, max: 8 },
    released: { type: 'date' },
    multiplayer: { type: 'flag' },
    game: { type: 'version', many: true },
    summary: { type: 'text' },
  });
  const document: Schema = openApiDocument(LIMITS, '', declared);
  const endpoints = allEndpoints(LIMITS);
  const operationOf = ({ path, method }: { path: string; method: string }): Schema => document.paths[path][method];

  it('of a parameter', () => {
    const found = endpoints.flatMap((endpoint) =>
      (operationOf(endpoint).parameters ?? [])
        .filter((parameter: Schema) => parameter.in === 'query')
        .flatMap(({ name, schema }: Schema) => breachesOf(schema, true).map((breach) => ({ endpoint, name, breach }))),
    );
    expect(found.length).toBeGreaterThan(100);
    for (const { endpoint, name, breach } of found) {
      const query = [breach.value].flat().map((value) => `${name}=${encodeURIComponent(String(value))}`).join('&'); // prettier-ignore
      const { code, values } = breach;
      expect({ query, errors: problemOf(() => endpoint.query?.parse(query)) }).toEqual({
        query,
        errors: [{ parameter: name, detail: expect.any(String), code, values }],
      });
    }
  });

  it('of a field of a body', () => {
    const found = endpoints.flatMap(({ body }) => {
      if (!body) return [];
      const { properties, required = [] } = document.components.schemas[body.schema.meta()?.id ?? ''];
      const breaches = Object.entries(properties).flatMap(([name, schema]) => breachesOf(withoutNull(schema), false).map((breach) => ({ body, name, breach }))); // prettier-ignore
      return [...breaches, ...required.map((name: string) => ({ body, name, breach: { value: undefined, code: 'required' } }))];
    });
    expect(found.length).toBeGreaterThan(30);
    for (const { body, name, breach } of found) {
      const pointer = Array.isArray(breach.value) && breach.value.length === 1 ? `#/${name}/0` : `#/${name}`;
      const errors = errorsOf(body.schema, { ...(body.example as object), [name]: breach.value });
      const { code, values } = breach as Breach;
      expect({ name, errors }).toEqual({ name, errors: [{ pointer, detail: expect.any(String), code, ...(values && { values }) }] });
    }
  });

  it('of a declared field', () => {
    const check = (fields: object, ofFields = declared) =>
      problemOf(() => checkItem({ before: undefined, picture: undefined, edit: { ...VALID, tags: [], fields } }, { limits: LIMITS, declared: ofFields })); // prettier-ignore
    const { properties } = document.components.schemas.Upload.properties.fields;
    const found = Object.entries(properties).flatMap(([name, schema]) => breachesOf(schema, false).map((breach) => ({ name, breach })));
    expect(found.length).toBeGreaterThan(15);
    for (const { name, breach } of found) {
      const pointer = Array.isArray(breach.value) && breach.value.length === 1 ? `#/fields/${name}/0` : `#/fields/${name}`;
      // An empty text shows nothing.
      const { code, values } = String(breach.value) === '' ? { code: 'blank' as const, values: undefined } : breach;
      expect({ name, errors: check({ [name]: breach.value }) }).toEqual({
        name,
        errors: [{ pointer, detail: expect.any(String), code, ...(values && { values }) }],
      });
    }
    expect(check({ summary: 'ü'.repeat(2_000), studio: Array.from({ length: 32 }, (_, n) => `${n}${'ü'.repeat(98)}`) })).toEqual([
      { pointer: '#/fields', detail: expect.any(String), code: 'too-large', values: { max: 8_192, is: expect.any(Number) } },
    ]);
    const priced = definitionsOf({ price: { type: 'number', min: 0 } });
    expect(check({ price: -1 }, priced)).toMatchObject([{ code: 'out-of-range', values: { min: 0 } }]);
    expect(check({ price: 1e300 }, priced)).toMatchObject([{ code: 'out-of-range', values: { min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER } }]); // prettier-ignore
    expect(check({ players: [4] })).toMatchObject([{ code: 'wrong-type', values: { expected: 'number' }, detail: 'must be one value, and not a list' }]); // prettier-ignore
    expect(check([])).toMatchObject([{ pointer: '#/fields', code: 'wrong-type', values: { expected: 'object' } }]);
  });

  it('of conditions on declared fields, whose number is limited together', () => {
    const parameters = { where: Array(20).fill('players:4'), whereNot: Array(20).fill('players:5') };
    expect(checkConditions(parameters, declared)).toMatchObject([{ parameter: 'where', code: 'too-many', values: { max: 32, is: 40 } }]);
  });
});

describe('the page says in its language', () => {
  const sample = (code: ErrorCode): Record<string, string | number> =>
    Object.fromEntries(ERROR_CODES[code].values.map((name) => [name, name === 'expected' ? 'number' : 3]));

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('an error with the code %s', (code) => {
    expect(Object.keys(FAULTS).concat('wrong-type')).toContain(code);
    expect(saidFault({ code, values: sample(code), detail: 'DETAIL' })).not.toContain('DETAIL');
  });

  it.each([
    [{ min: 1 }, 'This must be at least 1.'],
    [{ max: 8 }, 'This must be at most 8.'],
    [{ min: 1, max: 8 }, 'This must be from 1 to 8.'],
  ])('which numbers are allowed: %j', (values, said) => expect(saidFault({ code: 'out-of-range', values, detail: 'DETAIL' })).toBe(said));

  it('that a number must be whole', () =>
    expect(saidFault({ code: 'wrong-type', values: { expected: 'integer' }, detail: 'DETAIL' })).toBe('This must be a whole number.'));

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
