import { pngChunk, gif, jpeg, png, pngOfBytes, webp } from '../support/database/images.ts';
import { checkItem } from '@ugc/items/changes/item-rules';
import { editSchema, uploadSchema, type Upload } from '@ugc/items/fields/upload-schema';
import { isTooSlow, readJson } from '@ugc/api/http/body';
import { parseJson, validate } from '@ugc/items/fields/json';
import { Problem } from '@ugc/items/problems/problem';
import { problemBody } from '@ugc/api/http/problem-details';
import { WRITTEN, WRITTEN_FIELDS } from '@ugc/shared/contracts/content';
import { hasMoreValues } from '@ugc/shared/process/json-values';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import Koa from 'koa';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { declared } from '../support/database/declared-fields.ts';
import { rows } from '../support/jest/long.ts';
import { defaultEnv } from '../support/processes/default-env.ts';

const LIMITS = { ...defaultEnv(), ITEM_MAX_BYTES: 4_000_000 };
const BODY_MAX_BYTES = 8_000_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const VALID = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };
const DOCUMENT = ['#'];

type Answer = { status: number; body: any; text: string };

/** Reads and validates a body as the upload endpoint does. */
async function read(bytes: string | Uint8Array, headers: Record<string, string>, limits: typeof LIMITS): Promise<Upload> {
  const request = Object.assign(new IncomingMessage(new Socket()), { headers, complete: true });
  request.push(bytes);
  request.push(null);
  const ctx = new Koa().createContext(request, new ServerResponse(request));
  const schema = uploadSchema(limits);
  const rules = { limitBytes: BODY_MAX_BYTES, mediaTypes: ['application/json'], schema };
  // As a thread does.
  const runInThread = async <T>(work: { bytes: Buffer }): Promise<T> => parseJson(work.bytes, schema) as T;
  return readJson(ctx, rules, { reserve: async () => undefined, runInThread });
}

async function send(body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE, limits = LIMITS): Promise<Answer> {
  try {
    return { status: 200, body: await read(body, headers, limits), text: '' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const details = problemBody(error, '/content', '');
    return { status: error.status, body: details, text: JSON.stringify(details) };
  }
}
const sendFields = (changes: object): Promise<Answer> => send(JSON.stringify({ ...VALID, ...changes }));
const thumbnailOf = async (thumbnail: string) => (await sendFields({ thumbnail })).body.thumbnail as object;

function expectProblem({ status }: Answer, expected: number): void {
  expect(status).toBe(expected);
}

function expectErrors(answer: Answer, named: string[]): void {
  expectProblem(answer, 400);
  expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual(named.toSorted());
}

/** Replaces the value of one field by raw text, which may be invalid JSON. */
function textWith(field: string, written: string): string {
  return JSON.stringify({ ...VALID, [field]: '@' }).replace('"@"', written);
}

describe('an invalid upload', () => {
  describe('is 400 with a pointer to the document', () => {
    it.each<[string, string | Buffer<ArrayBuffer>]>([
      ['empty', ''],
      ['blanks', ' \n'],
      ['an open brace', '{'],
      ['an object with a trailing comma', '{"creatorId":1,}'],
      ['single quotes', "{'creatorId':1}"],
      ['a comment', '{/* */}'],
      ['two documents', `${JSON.stringify(VALID)}${JSON.stringify(VALID)}`],
      ['a document followed by text', `${JSON.stringify(VALID)}x`],
      ['a form', 'creatorId=1&name=x'],
      ['NaN', textWith('version', 'NaN')],
      ['a hexadecimal number', textWith('version', '0x1')],
      ['a number with a leading zero', textWith('version', '01')],
      ['a control character in a string', textWith('name', '"a\u0001b"')],
      ['a bad escape', textWith('name', '"\\x41"')],
      ['bytes that are not UTF-8', Buffer.from(textWith('name', '"\u00e9"'), 'latin1')],
      ['an overlong encoding', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
      [
        'a surrogate encoded as if it were a character',
        Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      ],
      ['UTF-16', Buffer.from(JSON.stringify(VALID), 'utf16le')],
      ['null', 'null'],
      ['true', 'true'],
      ['a number', '1'],
      ['a string', '"x"'],
      ['a list', '[]'],
      ['a list with an upload', JSON.stringify([VALID])],
      ['100 nested lists', '['.repeat(100) + ']'.repeat(100)],
      ['50,000 nested lists', '['.repeat(50_000) + ']'.repeat(50_000)],
      ['a million nested lists', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
      ['a million lists that do not end', '['.repeat(1_000_000)],
      ['300,000 nested objects', '{"a":'.repeat(300_000) + '1' + '}'.repeat(300_000)],
      ['50,000 lists that are not closed', '['.repeat(50_000)],
    ])('when the body is %s', async (_, body) => expectErrors(await send(body), DOCUMENT));
  });

  it.each<[string, Uint8Array<ArrayBuffer>]>([
    ['UTF-8', Buffer.from(`\ufeff${JSON.stringify(VALID)}`)],
    ['UTF-16, little-endian', Buffer.from(`\ufeff${JSON.stringify(VALID)}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${JSON.stringify(VALID)}`, 'utf16le').swap16()],
  ])('that begins with a byte order mark is 400, and the error names it: %s', async (_, body) => {
    const response = await send(body);
    expectErrors(response, DOCUMENT);
    expect(response.body.errors[0].detail).toMatch(/^begins with a byte order mark \(U\+FEFF\)/);
  });

  const MANY = 'has more than 10000 values; its commas and opening brackets are counted';
  it.each([
    ['10,001 nested lists', '['.repeat(10_001)],
    ['a million nested lists', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['300,000 nested objects', '{"a":'.repeat(300_000) + '1' + '}'.repeat(300_000)],
    ['690,000 tags that are not strings', textWith('tags', `[${'1,'.repeat(689_999)}1]`)],
    ['690,000 lists for tags', textWith('tags', `[${'[],'.repeat(689_999)}[]]`)],
    ['690,000 empty texts', textWith('tags', `[${'"",'.repeat(689_999)}""]`)],
    ['690,000 numbers in place of the object', `[${'1,'.repeat(689_999)}1]`],
    ['160,000 fields', `{${Array.from({ length: 160_000 }, (_, n) => `"${n}":1`).join(',')}}`],
    ['10,001 values behind texts of quotes', `{"data":"${'\\"'.repeat(10_000)}","x":"\\\\",${'"y":1,'.repeat(10_001)}}`],
  ])('with more than 10,000 values is not parsed: %s', async (_, body) => {
    expect((await send(body)).body.errors).toEqual([{ pointer: '#', detail: MANY }]);
  });

  describe('is 415 because of an unsupported type or encoding', () => {
    it.each<[string, Record<string, string>]>([
      ['none', { 'content-type': '' }],
      ['text', { 'content-type': 'text/plain' }],
      ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['text/json', { 'content-type': 'text/json' }],
      ['a JSON patch', { 'content-type': 'application/json-patch+json' }],
      ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
      ['Latin 1', { 'content-type': 'application/json; charset=iso-8859-1' }],
      ['json, which is not a media type', { 'content-type': 'json' }],
    ])('when the content type is: %s', async (_, headers) => expectProblem(await send(JSON.stringify(VALID), headers), 415));

    it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'nonsense'])('when the header Content-Encoding is: %s', async (encoding) => {
      const response = await send(gzipSync(JSON.stringify(VALID)), { ...JSON_TYPE, 'content-encoding': encoding });
      expectProblem(response, 415);
    });

    it('when the body is corrupt gzip', async () => {
      const corrupt = gzipSync(JSON.stringify(VALID)).fill(0xff, 12);
      expectProblem(await send(corrupt, { ...JSON_TYPE, 'content-encoding': 'gzip' }), 415);
    });
  });

  describe('gets an error with a pointer to each field that is', () => {
    it.each(['creatorId', 'name', 'description', 'version', 'data'])('missing or null: %s', async (field) => {
      const { errors } = (await sendFields({ [field]: undefined })).body;
      expect(errors).toEqual([{ pointer: `#/${field}`, detail: 'is required', code: 'required' }]);
      expectErrors(await sendFields({ [field]: null }), [`#/${field}`]);
    });

    it.each(
      ['name', 'description', 'data', 'thumbnail'].flatMap((field) =>
        [7, true, ...(field === 'thumbnail' ? [] : [null]), ['x'], { x: 'x' }].map((value) => [field, value] as const),
      ),
    )('not a string: %s as %j', async (field, value) => expectErrors(await sendFields({ [field]: value }), [`#/${field}`]));

    it.each(['1.5', '"1"', '-1', '-0', '2147483648', '9007199254740992', '1e400', '-1e400', '1e-7', 'null', 'true', '[1]', '{}', '""'])(
      'not an integer in the valid range: version as %s',
      async (written) => expectErrors(await send(textWith('version', written)), ['#/version']),
    );

    it.each(['0', '-1', '-0', '1.5', '"1"', '9007199254740992', '9007199254740993', '1e400', 'null', 'true', '[1]', '{}'])(
      'not an integer in the valid range: creatorId as %s',
      async (written) => expectErrors(await send(textWith('creatorId', written)), ['#/creatorId']),
    );

    it.each<[string, unknown, string[]]>([
      ['text', 'a,b', ['#/tags']],
      ['an object', { 0: 'a' }, ['#/tags']],
      ['with a number', ['a', 7], ['#/tags/1']],
      ['with null', [null, 'a'], ['#/tags/0']],
      ['nested', [['a']], ['#/tags/0']],
      ['with an empty tag', ['a', ''], ['#/tags/1']],
      ['of 33', Array.from({ length: 33 }, (_, n) => `tag ${n}`), ['#/tags']],
      ['of 33 equal tags', Array.from({ length: 33 }, () => 'a'), ['#/tags']],
      ['of 33 with an invalid tag', ['', ...Array.from({ length: 32 }, (_, n) => `tag ${n}`)], ['#/tags']],
      ['an object of 9,000 fields', Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`field ${n}`, 1])), ['#/tags']],
    ])('not a list of tags: %s', async (_, tags, named) => expectErrors(await sendFields({ tags }), named));

    it.each([
      ...[' ', '\t\n', '\u00a0', '\u3000', '\ufeff', '\u0085', '\u2028'],
      ...[
        '\u200b',
        '\u00ad',
        '\u2060\ufe0f',
        '\u202e',
        '\u3164',
        '\u115f\u1160',
        '\uffa0',
        '\u2800',
        '\u034f',
        '\u{e0020}',
        '\u0001\u007f',
      ],
    ])('a name or a tag that shows nothing: %j', async (blank) => {
      expectErrors(await sendFields({ name: blank, tags: ['a', blank] }), ['#/name', '#/tags/1']);
    });

    const STRINGS: [string, string, (value: string) => string][] = [
      ['name', '#/name', (value) => textWith('name', value)],
      ['description', '#/description', (value) => textWith('description', value)],
      ['data', '#/data', (value) => textWith('data', value)],
      ['tags', '#/tags/1', (value) => textWith('tags', `["a",${value}]`)],
    ];
    const UNSTORABLE: [string, string][] = [
      ['U+0000', '"a\\u0000b"'],
      ['an unpaired high surrogate', '"a\\ud83d"'],
      ['an unpaired low surrogate', '"\\ude00a"'],
      ['surrogates in the wrong order', '"\\ude00\\ud83d"'],
    ];
    it.each(
      STRINGS.flatMap(([field, pointer, write]) => UNSTORABLE.map(([what, written]) => [field, what, pointer, write(written)] as const)),
    )('not storable: %s with %s', async (_field, _what, pointer, body) => expectErrors(await send(body), [pointer]));

    it.each<[string, number, (value: string) => Record<string, unknown>, string]>([
      ['name', 200, (name) => ({ name }), '#/name'],
      ['description', 10_000, (description) => ({ description }), '#/description'],
      ['data', 262_144, (data) => ({ data }), '#/data'],
      ['tags', 64, (tag) => ({ tags: [tag] }), '#/tags/0'],
    ])('longer than its limit in characters, which are code points and not code units: %s', async (_, limit, fields, pointer) => {
      for (const character of ['a', 'é', '語', '😀']) {
        expect(await sendFields(fields(character.repeat(limit)))).toMatchObject({ status: 200 });
        expectErrors(await sendFields(fields(character.repeat(limit + 1))), [pointer]);
      }
    });
  });

  it('gets all of its errors in one response', async () => {
    const bad = { creatorId: 'me', name: '', description: 7, version: -1, tags: ['ok', '', 7], thumbnail: 'no image' };
    const response = await send(JSON.stringify(bad));
    expectErrors(response, ['#/creatorId', '#/data', '#/description', '#/name', '#/tags/1', '#/tags/2', '#/thumbnail', '#/version']);
    expect(response.body.errors.map(({ detail }: { detail: string }) => detail)).not.toContain('');
  });

  it('gets all errors of one field', async () => {
    const response = await send(textWith('name', `"${'\\u0000\\ud800'.repeat(101)}"`));
    expectErrors(response, ['#/name', '#/name', '#/name']);
  });

  it.each<[string, string, string]>([
    ['9,000 tags that are not strings', '#/tags', textWith('tags', `[${'1,'.repeat(8_999)}1]`)],
    ['4,000 lists for tags', '#/tags', textWith('tags', `[${'[],'.repeat(3_999)}[]]`)],
    ['9,000 numbers in place of the object', '#', `[${'1,'.repeat(8_999)}1]`],
    ['a name of 300,000 characters that can not be stored', '#/name', textWith('name', `"${'\\u0000'.repeat(300_000)}"`)],
    ['a tag of 300,000 characters that can not be stored', '#/tags/0', textWith('tags', `["${'\\u0000'.repeat(300_000)}"]`)],
    ['a thumbnail of 2,000,000 characters', '#/thumbnail', textWith('thumbnail', `"${'!'.repeat(2_000_000)}"`)],
  ])('with %s gets a single error, because lengths are checked before contents', async (_, pointer, body) => {
    const response = await send(body);
    expect(response.text.length).toBeLessThan(1_000);
    expectErrors(response, [pointer]);
  });

  it('gets a response that does not contain its values', async () => {
    const response = await sendFields({ name: 7, version: 'payload', thumbnail: 'payload', data: { payload: 'payload' } });
    expect(response.text).not.toContain('payload');
  });

  it('names the limit when its picture has too many parts', async () => {
    const picture = png({ extra: [Buffer.alloc(12 * 4_001, pngChunk('tEXt', Buffer.alloc(0)))] });
    const detail = 'has more than 4000 parts (segments, chunks or blocks); use at most 4000, for example with fewer frames';
    expect((await sendFields({ thumbnail: picture.toString('base64') })).body.errors).toMatchObject([{ pointer: '#/thumbnail', detail }]);
  });
});

describe('an unusual but valid upload is accepted', () => {
  it.each([
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset="UTF-8"' },
    { 'content-type': 'Application/JSON' },
    { 'content-type': 'application/json; charset=utf8; x=y' },
    { ...JSON_TYPE, 'content-encoding': 'identity' },
  ])('with the headers %j', async (headers) => expectProblem(await send(JSON.stringify(VALID), headers), 200));

  it.each<[string, string]>([
    ['a __proto__ field', '"__proto__":{"name":"polluted","isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}'],
    ['9,000 other fields', Array.from({ length: 9_000 }, (_, n) => `"field ${n}":1`).join(',')],
    ['a field nested 9,000 times', `"extra":${'['.repeat(9_000)}${']'.repeat(9_000)}`],
    ['a text of 500,000 brackets', `"extra":"\\\\\\"${'['.repeat(500_000)}"`],
    ['a text of 400,000 quotes', `"extra":"${'\\"'.repeat(400_000)}"`],
    ['4,500 lists beside each other', `"extra":[${'[],'.repeat(4_500)}[]]`],
  ])('and ignored is %s', async (_, extra) => {
    const { body } = await send(`${JSON.stringify(VALID).slice(0, -1)},${extra}}`);
    expect(body).toEqual({ ...VALID, tags: [], fileName: undefined, thumbnail: undefined });
    expect((body as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it.each<[string, number]>([
    ['0', 0],
    ['2147483647', 2_147_483_647],
    ['1.0', 1],
    ['1e3', 1_000],
  ])('with the version written as %s', async (written, version) => {
    expect((await send(textWith('version', written))).body.version).toBe(version);
  });

  it('with the last value of a duplicate field', async () => {
    expect((await send(`{"name":"first",${JSON.stringify(VALID).slice(1, -1)},"name":"last"}`)).body.name).toBe('last');
  });

  it('with 32 tags, the maximum', async () => {
    const tags = Array.from({ length: 32 }, (_, n) => `tag ${n}`);
    expect((await sendFields({ tags })).body.tags).toEqual(tags);
  });
});

describe('an upload with more than 100 errors', () => {
  const limits = { ...LIMITS, TAGS_MAX: 256 };
  const sendFields = (changes: object) => send(JSON.stringify({ ...VALID, ...changes }), JSON_TYPE, limits);

  it('gets the first 100 errors and the number of omitted ones', async () => {
    const { status, body } = await sendFields({ version: -1, tags: Array.from({ length: 250 }, () => 1) });
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(100);
    expect(body.errors[0].pointer).toBe('#/version');
    expect(body.errors[99].pointer).toBe('#/tags/98');
    expect(body.errorsOmitted).toBe(151);
  });

  it('gets no errorsOmitted when it has exactly 100 errors', async () => {
    const { body } = await sendFields({ tags: Array.from({ length: 100 }, () => 1) });
    expect(body.errors).toHaveLength(100);
    expect(body).not.toHaveProperty('errorsOmitted');
  });
});

describe('a body', () => {
  it.each([
    ['at a higher rate than 16 KiB per second, however long it takes', 1_700_000, 100_000, false],
    ['at a lower rate', 1_600_000, 100_000, true],
    ['of which nothing has arrived in the first five seconds', 0, 5_000, false],
    ['of which nothing has arrived after them', 0, 5_001, true],
  ])('%s is too slow or not', (_, bytes, ms, expected) => {
    expect(isTooSlow(bytes, ms)).toBe(expected);
  });

  /** Reads the body of a request without a Content-Length, whose bytes the test sends, and whose memory it grants. */
  function readInChunks() {
    const request = Object.assign(new IncomingMessage(new Socket()), { headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' } });
    const reserved: number[] = [];
    const largest = Promise.withResolvers<void>();
    const reserve = async (bytes: number): Promise<void> => {
      reserved.push(bytes);
      if (bytes === BODY_MAX_BYTES) await largest.promise;
    };
    const ctx = new Koa().createContext(request, new ServerResponse(request));
    const schema = uploadSchema(LIMITS);
    const runInThread = async <T>(work: { bytes: Buffer }): Promise<T> => parseJson(work.bytes, schema) as T;
    const reading = readJson(ctx, { limitBytes: BODY_MAX_BYTES, mediaTypes: ['application/json'], schema }, { reserve, runInThread });
    return { request, reading, reserved, grant: largest.resolve, refuse: largest.reject };
  }
  const body = JSON.stringify({ ...VALID, data: 'x'.repeat(100_000) });
  const FIRST_BYTES = 70_000;

  it('without a Content-Length has memory for a small one, then for the largest before it is read further, and at last for itself', async () => {
    // Replaces the clock, which stands still while the body is not read.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { request, reading, reserved, grant } = readInChunks();
    await setImmediate();
    request.push(body.slice(0, FIRST_BYTES));
    await setImmediate();
    expect([request.isPaused(), reserved]).toEqual([true, [65_536, BODY_MAX_BYTES]]);
    jest.advanceTimersByTime(120_000);
    request.push(body.slice(FIRST_BYTES));
    request.push(null);
    grant();
    await setImmediate();
    jest.advanceTimersByTime(1_000);
    expect(await reading).toMatchObject({ data: 'x'.repeat(100_000) });
    expect(reserved).toEqual([65_536, BODY_MAX_BYTES, body.length]);
    jest.useRealTimers();
  });

  it('is refused when it does not get the memory', async () => {
    const { request, reading, refuse } = readInChunks();
    await setImmediate();
    request.push(body.slice(0, FIRST_BYTES));
    await setImmediate();
    refuse(new Error('no memory'));
    await expect(reading).rejects.toThrow('no memory');
  });
});

it.each(WRITTEN.filter((field) => WRITTEN_FIELDS[field].type !== 'integer'))('the limit of an item counts its %s', (field) => {
  const text = 'x'.repeat(3_000);
  const values: Record<string, unknown> = {
    tags: [text],
    fields: { studio: Array.from({ length: 30 }, (_, n) => `${n}${'x'.repeat(90)}`) },
  };
  const rules = { limits: { ...LIMITS, ITEM_MAX_BYTES: 10_000 }, declared: declared({ studio: { type: 'keyword', many: true } }) };
  const check = () => checkItem({ before: undefined, edit: { [field]: values[field] ?? text } }, rules);
  expect(check).toThrow(expect.objectContaining({ errors: expect.arrayContaining([expect.objectContaining({ code: 'too-large', detail: expect.stringContaining('bytes of JSON') })]) })); // prettier-ignore
});

describe('an edit', () => {
  it.each([
    ['null for required fields', { name: null, description: null }, ['#/name', '#/description']],
    ['a blank name', { name: '  ' }, ['#/name']],
    ['a wrong type', { version: '2', tags: 'a' }, ['#/version', '#/tags']],
    ['too many tags', { tags: Array.from({ length: 33 }, () => 7) }, ['#/tags']],
    ['an invalid thumbnail', { thumbnail: 'aGVsbG8=' }, ['#/thumbnail']],
    ['U+0000', { data: 'a\u0000b' }, ['#/data']],
    ['an array instead of an object', [], ['#']],
  ])('with %s is 400', (_, body, pointers) => {
    const errors = pointers.map((pointer) => expect.objectContaining({ pointer }));
    expect(() => validate(editSchema(LIMITS), body)).toThrow(expect.objectContaining({ status: 400, errors }));
  });
});

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${base64(bytes)}`;
const text = (content: string): string => base64(Buffer.from(content));
const LIMIT = 524_288;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>';
/** An image whose base64 ends with padding. */
const PADDED = [0, 1, 2].map((more) => pngOfBytes(100 + more)).find((bytes) => bytes.length % 3 === 1) ?? png();

describe('a thumbnail', () => {
  describe('is stored with its detected media type', () => {
    it.each<[string, string, Buffer]>([
      ['a PNG', 'image/png', png()],
      ['a PNG of 4096 x 4096', 'image/png', png({ width: 4_096, height: 4_096 })],
      ['a PNG of the maximum size', 'image/png', pngOfBytes(LIMIT)],
      ['a GIF', 'image/gif', gif()],
      ['an animated GIF', 'image/gif', gif({ frames: 3 })],
      ['a JPEG', 'image/jpeg', jpeg()],
      ['a JPEG of 4096 x 4096', 'image/jpeg', jpeg({ width: 4_096, height: 4_096 })],
      ['a WebP', 'image/webp', webp()],
      ['a WebP of 4096 x 4096', 'image/webp', webp({ width: 4_096, height: 4_096 })],
    ])('when the upload contains %s', async (_, mediaType, bytes) => {
      for (const thumbnail of [base64(bytes), dataUrl(mediaType, bytes)])
        expect(await thumbnailOf(thumbnail)).toMatchObject({ mediaType, bytes });
    });
  });

  describe('is stored although it is sent', () => {
    const bytes = PADDED;
    const lines = base64(bytes).replace(/.{76}/g, '$&\r\n');
    it.each<[string, string]>([
      ['with line breaks', lines],
      ['with line breaks around it', `\n${base64(bytes)}\n`],
      ['with blanks', ` ${base64(bytes).slice(0, 40)} ${base64(bytes).slice(40)}`],
      ['without its padding', base64(bytes).replace(/=+$/, '')],
      ['as base64url', bytes.toString('base64url')],
      ['as a data URL with line breaks', `data:image/png;base64,\n${lines}`],
      ['as a data URL without padding', `data:image/png;base64,${bytes.toString('base64url')}`],
      ...[
        'image/jpg',
        'image/jpeg',
        'image/x-png',
        'image/*',
        'image/svg+xml',
        'IMAGE/PNG',
        'image/png;charset=utf-8',
        'application/octet-stream',
      ].map((type): [string, string] => [`declared as ${type}`, dataUrl(type, bytes)]),
      ['with capital letters before it', `DATA:IMAGE/PNG;BASE64,${base64(bytes)}`],
      ['followed by a ZIP', base64(Buffer.concat([bytes, Buffer.from('504b0506', 'hex')]))],
      ['with a text', base64(png({ extra: [pngChunk('tEXt', Buffer.from('Comment\0home'))] }))],
    ])('%s', async (what, thumbnail) => {
      const expected = what === 'with a text' ? png() : bytes;
      expect(await thumbnailOf(thumbnail)).toMatchObject({ mediaType: 'image/png', bytes: expected });
    });

    it.each<[string, Buffer]>([['image/jpeg', jpeg()], ['image/gif', gif()], ['image/webp', webp()]])('with bytes after its end, as %s', async (type, picture) => {
      const sent = Buffer.concat([picture, Buffer.from('<script>SEFT')]);
      expect(await thumbnailOf(dataUrl('image/png', sent))).toMatchObject({ mediaType: type, bytes: picture });
    }); // prettier-ignore
  });

  describe('makes the upload 400', () => {
    it.each<[string, string]>([
      ['empty', ''],
      ['an empty data URL', 'data:image/png;base64,'],
      ['not base64', 'no image!'],
      ['base64 with too much padding', `${base64(PADDED)}=`],
      ['base64 whose last bits are not zero', base64(PADDED).replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`)],
      ['base64 twice', `${base64(PADDED)}${base64(PADDED)}`],
      ['a URL', 'https://example.test/image.png'],
      ['a file URL', 'file:///etc/passwd'],
      ['declared as text', dataUrl('text/html', png())],
      ['declared as SVG', dataUrl('image/svg+xml', Buffer.from(SVG))],
      ['declared as nothing', `data:;base64,${base64(png())}`],
      ['declared without base64', `data:image/png,${base64(png())}`],
      ['SVG', text(SVG)],
      // A GIF's last byte is a semicolon.
      ['SVG with the last byte of a GIF', text(`${SVG};`)],
      ['SVG after an XML declaration', text(`<?xml version="1.0"?>${SVG}`)],
      ['HTML', text('<!doctype html><script>alert(1)</script>')],
      ['PDF', text('%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF')],
      ['a ZIP', base64(Buffer.from('504b0506000000000000000000000000000000000000', 'hex'))],
      ['a BMP', base64(Buffer.concat([Buffer.from('BM'), Buffer.alloc(60, 1)]))],
      ['a TIFF', base64(Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(60)]))],
      ['an icon', base64(Buffer.from('00000100010001010000010020000400000016000000', 'hex'))],
      ['one byte', 'AA=='],
      ['a PNG without its end', base64(png().subarray(0, -12))],
      ['a PNG of its header only', base64(png().subarray(0, 33))],
      ['a PNG signature and HTML', base64(Buffer.concat([png().subarray(0, 33), Buffer.from('<script>alert(1)</script>')]))],
      ['a PNG of 30000 x 30000', base64(png({ width: 30_000, height: 30_000, pixels: false }))],
      ['a PNG of 4097 x 1', base64(png({ width: 4_097 }))],
      ['a PNG of 1 x 4097', base64(png({ height: 4_097 }))],
      ['a PNG without pixels', base64(png({ width: 0, height: 0 }))],
      ['a PNG of the maximum size plus one byte', base64(pngOfBytes(LIMIT + 1))],
      ['a small PNG that is as large as sent because of its text', base64(png({ extra: [pngChunk('tEXt', Buffer.alloc(LIMIT))] }))],
      ['a PNG of 1 MiB', base64(pngOfBytes(2 * LIMIT))],
      ['a GIF without its end', base64(gif().subarray(0, -1))],
      ['a GIF of its header only', base64(gif().subarray(0, 10))],
      ['a GIF of 4097 x 1', base64(gif({ width: 4_097 }))],
      ['a GIF without pixels', base64(gif({ width: 0 }))],
      ['a GIF with a frame of 60000 x 60000', base64(gif({ extensions: [Buffer.from('2c0000000060ea60ea00' + '0200', 'hex')] }))],
      ['a JPEG without its end', base64(jpeg().subarray(0, -2))],
      ['a JPEG of its first bytes only', base64(jpeg().subarray(0, 4))],
      ['a JPEG of 4097 x 1', base64(jpeg({ width: 4_097 }))],
      ['a JPEG without pixels', base64(jpeg({ height: 0 }))],
      ['a WebP without its end', base64(webp().subarray(0, -1))],
      ['a WebP of 4097 x 1', base64(webp({ width: 4_097 }))],
      ['a WAV file, which uses the same container as WebP', base64(Buffer.from('524946460c00000057415645666d7420', 'hex'))],
    ])('when it is %s', async (_, thumbnail) => expectErrors(await sendFields({ thumbnail }), ['#/thumbnail']));
  });
});

function parsedOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The commas and opening brackets of a value in JSON. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return Math.max(1, parts.length) + parts.reduce<number>((sum, part) => sum + countOf(part), 0);
}

describe('the number of values of a JSON text', () => {
  it('is that of its commas and opening brackets, whatever its strings contain', () => {
    const text = fc
      .array(fc.constantFrom('"', '\\', ',', '[', '{', 'é', 'x'.repeat(300), '\\"'), { maxLength: 12 })
      .map((parts) => parts.join(''));
    const value = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(text, tie('value'), { maxKeys: 4 })),
    })).value; // prettier-ignore
    const isCounted = (parsed: unknown, indent: number): void => {
      const json = Buffer.from(JSON.stringify(parsed, null, indent));
      const count = countOf(parsed);
      expect([hasMoreValues(json, count), count > 0 && hasMoreValues(json, count - 1)]).toEqual([false, count > 0]);
    };
    fc.assert(fc.property(value, fc.constantFrom(0, 2), isCounted), { numRuns: 2_000, seed: 20261127 });
  });

  it.each([
    ['nothing', ''],
    ['an open string', '"'],
    ['an open string and a backslash', '"\\'],
    ['an open string and an escaped quote', '"\\"'],
    ['a long open string', `"${'x'.repeat(1_000)}`],
    ['a long open string of backslashes', `"${'\\'.repeat(1_001)}`],
  ])('is 0 for a text that ends too early: %s', (_, json) => expect(hasMoreValues(Buffer.from(json), 0)).toBe(false));

  const BYTES = [...'"\\[]{},:0a \n'];
  const PAIRS = BYTES.flatMap((first) => BYTES.map((second) => first + second));
  /** The smallest parts that a text can repeat. */
  const PARTS = rows(PAIRS.length, [...PAIRS, ...PAIRS.flatMap((pair) => BYTES.map((third) => pair + third))]);

  it('bounds what is made of a text that is accepted, whatever two or three bytes it repeats', () => {
    const wholes = (inside: string): string[] => [`[${inside}]`, `["${inside}"]`, `[${inside}0]`, `{"a":${inside}}`];
    for (const json of PARTS.flatMap((part) => wholes(part.repeat(20_000)))) {
      if (hasMoreValues(Buffer.from(json), 10_000)) continue;
      const parsed = parsedOrUndefined(json);
      expect(parsed === undefined ? 0 : countOf(parsed)).toBeLessThanOrEqual(10_000);
    }
  });

  it('is found with a search for each 256 bytes at most, whatever two or three bytes a text repeats', () => {
    const size = 65_536;
    for (const part of PARTS) {
      const filled = part.repeat(size / part.length);
      for (const json of [filled, `"${filled}`]) {
        const searches = jest.spyOn(Buffer.prototype, 'indexOf');
        hasMoreValues(Buffer.from(json), Infinity);
        expect({ part, isBounded: searches.mock.calls.length <= size / 256 + 1 }).toEqual({ part, isBounded: true });
        searches.mockRestore();
      }
    }
  });
});
