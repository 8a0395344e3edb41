import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import type { ApiResponse } from '../support/http/client.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { expectStored } from '../support/database/expect-stored.ts';
import { tokenOf } from '../support/http/tokens.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const VALID = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };
const DOCUMENT = ['#'];

/** Replaces the value of one field by raw text, which may be invalid JSON. */
function textWith(field: string, written: string): string {
  return JSON.stringify({ ...VALID, [field]: '@' }).replace('"@"', written);
}

describe('an invalid upload', () => {
  const api = forAllTests(() => startApiAlone({ ITEM_MAX_BYTES: '4000000' }));

  const stored = expectStored(() => api);

  async function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE): Promise<ApiResponse> {
    return api.client.request('POST', '/content', { token: await tokenOf(1), body, headers });
  }
  const sendFields = (changes: Record<string, unknown>): Promise<ApiResponse> => send(JSON.stringify({ ...VALID, ...changes }));

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

  it.each([
    ['100,001 lists', '['.repeat(100_001)],
    ['a million lists', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['300,000 objects', '{"a":'.repeat(300_000) + '1' + '}'.repeat(300_000)],
  ])('with more than 100,000 levels of nesting is not parsed: %s', async (_, body) => {
    expect((await send(body.padEnd(200_003))).body.errors).toEqual([{ pointer: '#', detail: 'has more than 100000 levels of nesting' }]);
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
      expect(errors).toEqual([{ pointer: `#/${field}`, detail: 'is required' }]);
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
      ['an object of 50,000 fields', Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`field ${n}`, 1])), ['#/tags']],
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
        expect(await sendFields(fields(character.repeat(limit)))).toMatchObject({ status: 201 });
        stored.count += 1;
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
    ['690,000 tags that are not strings', '#/tags', textWith('tags', `[${'1,'.repeat(689_999)}1]`)],
    ['690,000 lists for tags', '#/tags', textWith('tags', `[${'[],'.repeat(689_999)}[]]`)],
    ['690,000 numbers in place of the object', '#', `[${'1,'.repeat(689_999)}1]`],
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

  it('gets 400 for invalid fields before 403 for another creator', async () => {
    expectErrors(await sendFields({ creatorId: 2, version: -1 }), ['#/version']);
    expectProblem(await sendFields({ creatorId: 2 }), 403);
    expectProblem(await api.client.tryUpload({}, 999), 403);
    expectProblem(await api.client.tryUpload({}, Number.MAX_SAFE_INTEGER), 403);
  });
});

describe('an upload with more than 100 errors', () => {
  const api = forAllTests(() => startApiAlone({ TAGS_MAX: '256' }));

  it('gets the first 100 errors and the number of omitted ones', async () => {
    const { status, body } = await api.client.tryUpload({ version: -1, tags: Array.from({ length: 250 }, () => 1) });
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(100);
    expect(body.errors[0].pointer).toBe('#/version');
    expect(body.errors[99].pointer).toBe('#/tags/98');
    expect(body.errorsOmitted).toBe(151);
  });

  it('gets no errorsOmitted when it has exactly 100 errors', async () => {
    const { body } = await api.client.tryUpload({ tags: Array.from({ length: 100 }, () => 1) });
    expect(body.errors).toHaveLength(100);
    expect(body).not.toHaveProperty('errorsOmitted');
  });
});

describe('an unusual but valid upload', () => {
  const api = forAllTests(() => startApiAlone());

  const post = async (body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE): Promise<ApiResponse> =>
    api.client.request('POST', '/content', { token: await tokenOf(1), body, headers });
  const readBack = async ({ status, body }: ApiResponse): Promise<any> => {
    expect(status).toBe(201);
    return (await api.client.get(`/api/content/${body.content_id}`)).body;
  };

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json; charset=utf8; x=y',
  ])(
    'is accepted with the content type %s',
    async (type) => void (await readBack(await post(JSON.stringify(VALID), { 'content-type': type }))),
  );

  it('is accepted with Content-Encoding identity', async () => {
    await readBack(await post(JSON.stringify(VALID), { ...JSON_TYPE, 'content-encoding': 'identity' }));
  });

  it('is accepted, and unknown fields and fields that the service sets are ignored', async () => {
    const claimed = {
      contentId: 7_777, content_id: 7_777, id: 7_777, revision: 9, creatorName: 'me', createdAt: '2001-01-01T00:00:00Z', created_at: '2001-01-01T00:00:00Z',
      updatedAt: '2001-01-01T00:00:00Z', downloadsCount: 9, latestDownloadsCount: 9, avgRating: 5, rating_sum: 9, deleted: true, credential: 'x',
    }; // prettier-ignore
    const item = await readBack(await post(JSON.stringify({ ...VALID, ...claimed })));
    expect(item).toMatchObject({ creatorName: 'ada', downloadsCount: 0, latestDownloadsCount: 0, avgRating: 0 });
    expect(item.contentId).not.toBe(7_777);
    expect(Math.abs(Date.parse(item.createdAt) - Date.now())).toBeLessThan(60_000);
    const [row] = await api.database.query('select revision from content where content_id = $1', [item.contentId]);
    expect(row).toEqual({ revision: 1 });
  });

  it.each<[string, string]>([
    ['a __proto__ field', '"__proto__":{"name":"polluted","isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}'],
    ['100,000 other fields', Array.from({ length: 100_000 }, (_, n) => `"field ${n}":1`).join(',')],
    ['a field nested 50,000 times', `"extra":${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['a text of 500,000 brackets', `"extra":"\\\\\\"${'['.repeat(500_000)}"`],
    ['500,000 lists beside each other', `"extra":[${'[],'.repeat(500_000)}[]]`],
  ])('is accepted, and ignored is %s', async (_, extra) => {
    const item = await readBack(await post(`${JSON.stringify(VALID).slice(0, -1)},${extra}}`));
    expect(item.name).toBe('x');
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('is stored with the last value of a duplicate field', async () => {
    expect((await readBack(await post(`{"name":"first",${JSON.stringify(VALID).slice(1, -1)},"name":"last"}`))).name).toBe('last');
  });

  it.each<[string, number]>([
    ['0', 0],
    ['2147483647', 2_147_483_647],
    ['1.0', 1],
    ['1e3', 1_000],
  ])('is accepted with the version written as %s', async (written, version) => {
    expect(await readBack(await post(textWith('version', written)))).toMatchObject({ version });
  });

  it('is accepted with an empty description, data and tags', async () => {
    expect(await readBack(await post(JSON.stringify({ ...VALID, description: '', data: '', tags: [] })))).toMatchObject({
      description: '',
      data: '',
    });
  });

  it('is accepted with 32 tags, the maximum', async () => {
    const tags = Array.from({ length: 32 }, (_, n) => `tag ${n}`);
    const { contentId } = await readBack(await post(JSON.stringify({ ...VALID, tags })));
    expect(await api.database.query('select tags from content where content_id = $1', [contentId])).toEqual([{ tags }]);
  });

  it.each([
    "'; drop table content; --",
    '<script>alert(1)</script>',
    '${jndi:ldap://x}{{7*7}}%s%n',
    'a\u0001\u0008\u000b\u001f\u007f\u0085\u2028\u2029',
    'e\u0301 \u00e9 \ufb01 \u200b\u200d\ufeff \u202eabc \ufffe\uffff',
    '😀👩‍👩‍👧🏳️‍🌈 \u{10ffff}',
    '  both ends  \r\n',
  ])('is returned exactly as it was sent, with the text %j', async (text) => {
    const name = text.slice(0, 200);
    const item = await readBack(await post(JSON.stringify({ ...VALID, name, description: text, data: text })));
    expect(item).toMatchObject({ name, description: text, data: text });
  });
});
