import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toStored } from '@ugc/fields/definition';
import { storedBytes, type Values } from '@ugc/fields/values';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { declared, declareFields } from '../support/database/declared-fields.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { apiCommand, indexCommand } from '../support/processes/command.ts';
import { createImports, itemsOf, lineWith, NONE, rejectedIn } from '../support/processes/imports.ts';

const FIELDS = {
  licence: { type: 'keyword', values: ['CC0-1.0', 'MIT'], label: 'Licence' },
  game: { type: 'version', many: true },
  players: { type: 'number', min: 1 },
  released: { type: 'date' },
  multiplayer: { type: 'flag' },
  studio: { type: 'keyword', searched: true },
  summary: { type: 'text' },
  build: { type: 'group', many: true, of: { game: 'version', loader: 'keyword' } },
};
const VALUES = {
  licence: 'MIT',
  game: ['1.20.4', '1.21'],
  players: 4,
  released: '2026-11-20',
  multiplayer: true,
  studio: 'Pixel Otter',
  summary: 'A calm harbour.',
  build: [{ game: '1.20.4', loader: 'fabric' }],
};

let api: ApiAlone;
let imports: Awaited<ReturnType<typeof createImports>>;
beforeAll(async () => {
  [api, imports] = await Promise.all([startApiAlone(), createImports()]);
});
afterAll(() => api.stop());

const namesIn = ({ body }: ApiResponse): string[] => body.fields.map(({ name }: { name: string }) => name);
const declaredBy = async (file: object) =>
  isDeepStrictEqual((await api.client.get('/api/fields')).body, { fields: toStored(declared(file)) });
async function declare(file: object): Promise<void> {
  await declareFields(api.database, file);
  await until('the API has the definitions', () => declaredBy(file));
}
async function storedOf(contentId: number): Promise<unknown> {
  const [row] = await api.database.query('select fields from content where content_id = $1', [contentId]);
  return row?.['fields'];
}
const countItems = async () => Number((await api.database.query('select count(*) from content'))[0]?.['count']);
const fieldsOf = async (contentId: number) => (await api.client.get(`/api/content/${contentId}?include=fields`)).body.fields;
const edit = (contentId: number, fields: unknown) => api.client.send('PATCH', `/api/content/${contentId}`, { fields });
const errorsOf = ({ status, body }: ApiResponse) => ({ status, errors: body.errors });
const refused = (...errors: object[]) => ({ status: 400, errors });

/** The statuses of an upload with a key, small and large, and of an edit, whose `fields` have so many levels. */
async function statusesOfDeep(levels: number): Promise<number[]> {
  const fields = `${'{"players":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const upload = (data: string) => `{"creatorId":1,"name":"Deep","description":"","version":1,"data":"${data}","fields":${fields}}`;
  const send = async (method: string, path: string, body: string) => {
    const headers = { 'content-type': 'application/json', ...(method === 'POST' && { 'idempotency-key': randomUUID() }) };
    return (await api.client.request(method, path, { token: await tokenOf(1), body, headers })).status;
  };
  const id = await api.client.upload({ name: 'Shallow' });
  return [
    await send('POST', '/content', upload('')),
    await send('POST', '/content', upload('x'.repeat(200_000))),
    await send('PATCH', `/api/content/${id}`, `{"fields":${fields}}`),
  ];
}

describe('without declared fields', () => {
  it.each([2, 9_000])('fields of %i levels are ignored', async (levels) => {
    expect(await statusesOfDeep(levels)).toEqual([201, 201, 200]);
  });

  it.each([[VALUES], [7], ['text'], [[]], [true], [null]])(
    'an upload and an edit store nothing of %j, and a key knows the upload that lacks it',
    async (fields) => {
      const headers = { 'idempotency-key': randomUUID() };
      const upload = { name: 'Without declared fields' };
      const first = await api.client.tryUpload({ ...upload, fields }, 1, headers);
      expect(first.status).toBe(201);
      const { content_id: contentId } = first.body;
      expect((await api.client.tryUpload(upload, 1, headers)).body).toEqual(first.body);
      expect((await edit(contentId, fields)).status).toBe(200);
      expect(await storedOf(contentId)).toEqual({});
      expect(await fieldsOf(contentId)).toEqual({});
    },
  );

  it('an import ignores them, and says so', async () => {
    const { json } = await imports.importOf(api.env, [lineWith({ externalId: 'ignored', fields: VALUES })]);
    expect(json).toEqual([{ ...NONE, created: 1, unknownFields: [{ field: 'fields', lines: 1 }] }]);
  });

  it('GET /api/fields is empty', async () => {
    expect((await api.client.get('/api/fields')).body).toEqual({ fields: [] });
  });
});

describe('with declared fields', () => {
  beforeEach(() => declare(FIELDS));

  it('an upload stores the values, and only include=fields returns them', async () => {
    const contentId = await api.client.upload({ fields: VALUES });
    expect(await storedOf(contentId)).toEqual(VALUES);
    expect(await fieldsOf(contentId)).toEqual(VALUES);
    expect((await api.client.get(`/api/content/${contentId}`)).body).not.toHaveProperty('fields');
  });

  it('GET /api/fields has the definitions in the order of the file, with their defaults', async () => {
    const { status, body } = await api.client.get('/api/fields');
    expect(status).toBe(200);
    expect(body.fields[0]).toEqual({
      name: 'licence',
      type: 'keyword',
      label: 'Licence',
      many: false,
      searched: false,
      facet: true,
      required: false,
      values: ['CC0-1.0', 'MIT'],
    });
    expect(body.fields.at(-1)).toMatchObject({ name: 'build', type: 'group', of: { game: 'version', loader: 'keyword' } });
  });

  it('the OpenAPI document names them with their types, and follows a change', async () => {
    const documentOf = async (name: string) => (await api.client.request('GET', `/${name}.json`)).body.components.schemas;
    const { Upload, ContentSummary } = await documentOf('openapi');
    expect(Upload.properties.fields).toMatchObject({
      additionalProperties: false,
      properties: {
        licence: { type: ['string', 'null'], enum: ['CC0-1.0', 'MIT', null], description: 'Licence' },
        players: { type: ['number', 'null'], minimum: 1 },
        game: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 32 },
        build: { type: ['array', 'null'], items: { type: 'object', required: ['game', 'loader'] } },
      },
    });
    expect(Upload.required).not.toContain('fields');
    expect(Object.keys(ContentSummary.properties.fields.properties)).toEqual(Object.keys(FIELDS));
    expect((await documentOf('openapi-3.0')).Edit.properties.fields).toMatchObject({
      nullable: true,
      additionalProperties: true,
      properties: { released: { format: 'date' } },
    });
    await declare({ ...FIELDS, licence: { ...FIELDS.licence, required: true } });
    const required = (await documentOf('openapi')).Upload;
    expect(required.required).toContain('fields');
    expect(required.properties.fields).toMatchObject({
      type: 'object',
      required: ['licence'],
      properties: { licence: { type: 'string' } },
    });
    await declare({});
    expect((await documentOf('openapi')).Upload.properties.fields).not.toHaveProperty('properties');
  });

  it('the OpenAPI document says of responses no rule that a value of an earlier definition breaks', async () => {
    const { components } = (await api.client.request('GET', '/openapi.json')).body;
    for (const name of ['ContentItem', 'ContentSummary'])
      expect(components.schemas[name].properties.fields).toMatchObject({
        additionalProperties: true,
        properties: {
          licence: { type: 'string', description: 'Licence' },
          players: { type: 'number', description: 'Players' },
          released: { type: 'string', format: 'date' },
          game: { type: 'array', items: { type: 'string' } },
          build: { type: 'array', items: { type: 'object', properties: { game: { type: 'string' } }, additionalProperties: true } },
        },
      });
    const rules = /"(enum|minimum|maximum|minLength|maxLength|maxItems|required)"/;
    expect(JSON.stringify(components.schemas.ContentItem.properties.fields)).not.toMatch(rules);
  });

  it('each value of a response is of the type that the OpenAPI document says, whatever its field was before', async () => {
    const contentId = await api.client.upload({ fields: VALUES });
    const [groupToText, textToGroup] = [{ build: { type: 'text' } }, { summary: FIELDS.build }];
    const isTyped = async (): Promise<boolean> => {
      const { components } = (await api.client.request('GET', '/openapi.json')).body;
      const { content } = (await api.client.get('/api/users/me/content?include=fields&fields=summary')).body;
      const item = content.find((each: { contentId: number }) => each.contentId === contentId);
      const validate = new Ajv2020({ strict: false, formats: { date: /^\d{4}-\d\d-\d\d$/ } });
      const areTyped = [await fieldsOf(contentId), item.fields].map((values) =>
        ['ContentItem', 'ContentSummary'].every((name) => validate.validate(components.schemas[name].properties.fields, values)),
      );
      return areTyped.every(Boolean);
    };
    expect(await isTyped()).toBe(true);
    const changes: [change: object, returned: Record<string, unknown>][] = [
      [{ players: { type: 'keyword' } }, { players: undefined }],
      [{ licence: { type: 'number' } }, { licence: undefined }],
      [{ game: { type: 'version' } }, { game: undefined }],
      [{ studio: { type: 'date' } }, { studio: undefined }],
      [{ multiplayer: { type: 'flag', many: true } }, { multiplayer: [true] }],
      [{ released: { type: 'keyword' } }, {}],
      [{ licence: { ...FIELDS.licence, values: ['CC0-1.0'] }, players: { type: 'number', min: 9 } }, {}],
      [{ build: { ...FIELDS.build, of: { game: 'version', size: 'number' } } }, { build: undefined }],
      [groupToText, { build: undefined }],
      [textToGroup, { summary: undefined }],
    ];
    for (const [change, returned] of changes) {
      await declare({ ...FIELDS, ...change });
      expect([change, await isTyped()]).toEqual([change, true]);
      expect(await fieldsOf(contentId)).toEqual({ ...VALUES, ...returned });
    }
    expect(await storedOf(contentId)).toEqual(VALUES);
  });

  it('one value is returned as a list once its field may have many, in each response', async () => {
    const contentId = await api.client.upload({ fields: { licence: 'MIT' } });
    await declare({ licence: { ...FIELDS.licence, many: true } });
    expect(await fieldsOf(contentId)).toEqual({ licence: ['MIT'] });
    const tag = (await api.client.get(`/api/content/${contentId}`)).headers.get('etag');
    expect((await edit(contentId, { licence: ['MIT'] })).headers.get('etag')).toBe(tag);
    const { content } = (await api.client.get('/api/users/me/content?include=fields')).body;
    expect(content.find((item: { contentId: number }) => item.contentId === contentId)).toMatchObject({ fields: { licence: ['MIT'] } });
  });

  it.each<[string, unknown, object[]]>([
    ['an unknown name', { plyers: 4 }, [{ pointer: '#/fields/plyers', detail: expect.stringContaining('the fields are licence, game') }]],
    ['an unknown name that no address has', { 'größe/~\ud800': 4 }, [{ pointer: '#/fields/gr%C3%B6%C3%9Fe~1~0%EF%BF%BD' }]],
    ['another type', { players: '4' }, [{ pointer: '#/fields/players', detail: expect.stringContaining('at least 1') }]],
    ['a value outside of values', { licence: 'GPL' }, [{ pointer: '#/fields/licence', detail: 'must be "CC0-1.0" or "MIT"' }]],
    ['a day that does not exist', { released: '2026-02-30' }, [{ pointer: '#/fields/released', detail: expect.any(String) }]],
    ['several values of one', { multiplayer: [true] }, [{ pointer: '#/fields/multiplayer', detail: 'must be one value, and not a list' }]],
    ['33 values', { game: Array.from({ length: 33 }, (_, n) => `1.${n}`) }, [{ pointer: '#/fields/game', detail: expect.stringContaining('the maximum is 32') }]], // prettier-ignore
    ['a part of another type', { build: [{ game: 1, loader: 'x' }] }, [{ pointer: '#/fields/build/0/game', detail: expect.stringContaining('version') }]], // prettier-ignore
    ['a part that is missing', { build: { game: '1' } }, [{ pointer: '#/fields/build/0/loader', detail: 'is required' }]],
    ['no object', ['MIT'], [{ pointer: '#/fields', detail: expect.stringContaining('must be an object') }]],
    ['more than 8 KB', { summary: 'é'.repeat(2_000), build: Array.from({ length: 32 }, (_, n) => ({ game: `${n}`, loader: 'é'.repeat(90) })) }, [{ pointer: '#/fields', detail: expect.stringContaining('maximum is 8192') }]], // prettier-ignore
    ['a text that is searched as too many letters', { studio: '\ufdfa'.repeat(50) }, [{ pointer: '#/fields/studio', detail: expect.stringContaining('is searched as') }]], // prettier-ignore
  ])('every way in refuses %s, says where and what would be right, and stores nothing', async (_what, fields, errors) => {
    const contentId = await api.client.upload({ fields: { players: 2 } });
    await imports.importOf(api.env, [lineWith({ externalId: 'refused', fields: { players: 2 } })]);
    const count = await countItems();
    expect(errorsOf(await api.client.tryUpload({ fields }))).toMatchObject(refused(...errors));
    expect(errorsOf(await api.client.tryUpload({ fields }, 1, { 'idempotency-key': randomUUID() }))).toMatchObject(refused(...errors));
    expect(errorsOf(await edit(contentId, fields))).toMatchObject(refused(...errors));
    for (const externalId of ['refused', randomUUID()])
      for (const args of [['--dry-run'], []]) {
        const { json, file } = await imports.importOf(api.env, [lineWith({ externalId, fields })], ...args);
        expect(json).toMatchObject([{ ...NONE, rejected: 1 }]);
        expect(await rejectedIn(file)).toMatchObject([{ errors }]);
      }
    expect(await storedOf(contentId)).toEqual({ players: 2 });
    expect(await countItems()).toBe(count);
  });

  it.each([2, 9_000])('fields of %i levels are an error of the client', async (levels) => {
    expect(await statusesOfDeep(levels)).toEqual([400, 400, 400]);
  });

  it('a body with thousands of unknown names gets few errors', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`unknown${n}`, n]));
    expect((await api.client.tryUpload({ fields })).body.errors.length).toBeLessThan(40);
  });

  it('an edit changes the fields that it names, removes one with null, and changes nothing else', async () => {
    const contentId = await api.client.upload({ fields: VALUES });
    const path = `/api/content/${contentId}`;
    const before = await api.client.get(path);
    const same = await edit(contentId, { players: 4, game: ['1.20.4', 'v1.21'].map((game) => game.replace('v', '')) });
    expect(same.headers.get('etag')).toBe(before.headers.get('etag'));
    for (const nothing of [undefined, null, {}])
      expect((await edit(contentId, nothing)).headers.get('etag')).toBe(before.headers.get('etag'));
    const edited = await edit(contentId, { players: 8, licence: null, game: [] });
    expect(edited.status).toBe(200);
    expect(edited.body).not.toHaveProperty('fields');
    expect(edited.headers.get('etag')).not.toBe(before.headers.get('etag'));
    const { licence: _, game: __, ...others } = VALUES;
    expect(await fieldsOf(contentId)).toEqual({ ...others, players: 8 });
  });

  it('a cached copy with the values is confirmed until a field is declared or removed, or returned otherwise', async () => {
    const id = await api.client.upload({ fields: { licence: 'MIT', players: 4 } });
    const readIfNew = (path: string, tag: string | null) =>
      api.client.send('GET', path, undefined, 1, { 'if-none-match': tag ?? '' }); // prettier-ignore
    const [plain, full] = [`/api/content/${id}`, `/api/content/${id}?include=fields`];
    const [tag, plainTag] = [(await api.client.get(full)).headers.get('etag'), (await api.client.get(plain)).headers.get('etag')];
    expect((await readIfNew(full, tag)).status).toBe(304);
    const { licence: _, ...others } = FIELDS;
    await declare(others);
    expect(await readIfNew(full, tag)).toMatchObject({ status: 200, body: { fields: { players: 4 } } });
    const ofOthers = (await api.client.get(full)).headers.get('etag');
    await declare({ ...others, players: { ...FIELDS.players, many: true } });
    expect(await readIfNew(full, ofOthers)).toMatchObject({ status: 200, body: { fields: { players: [4] } } });
    await declare({ ...others, players: { type: 'flag' } });
    expect(await readIfNew(full, ofOthers)).toMatchObject({ status: 200, body: { fields: {} } });
    await declare({ ...others, players: { ...FIELDS.players, label: 'Persons', min: 2 } });
    expect((await readIfNew(full, ofOthers)).status).toBe(304);
    expect((await readIfNew(plain, plainTag)).status).toBe(304);
    expect((await api.client.send('PATCH', plain, { name: 'renamed' }, 1, { 'if-match': tag ?? '' })).status).toBe(200);
    await declare(FIELDS);
  });

  it('an upload that is repeated with its key is stored once, whatever the order of the names, and with other values refused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const upload = (fields: object) => api.client.tryUpload({ name: 'Repeated', fields }, 1, headers);
    const first = await upload({ players: 4, licence: 'MIT' });
    expect(first.status).toBe(201);
    expect((await upload({ licence: 'MIT', players: 4 })).body).toEqual(first.body);
    expect((await upload({ players: 5, licence: 'MIT' })).status).toBe(422);
    expect((await api.client.tryUpload({ name: 'Repeated' }, 1, headers)).status).toBe(422);
  });

  it('hidden items keep their values, for their creator and in the list; deleted ones lose them, also by an earlier process', async () => {
    const contentId = await api.client.upload({ fields: VALUES });
    const moderator = { sub: '3', scope: 'content:moderate' };
    await api.client.send('PUT', `/api/content/${contentId}/hidden`, { reason: 'spam' }, moderator);
    expect(await fieldsOf(contentId)).toEqual(VALUES);
    const hidden = await api.client.get('/api/content/hidden?include=fields');
    expect(hidden.body.content.find((item: { contentId: number }) => item.contentId === contentId)).toMatchObject({ fields: VALUES });
    await api.client.send('DELETE', `/api/content/${contentId}/hidden`, undefined, moderator);
    expect(await storedOf(contentId)).toEqual(VALUES);
    expect((await api.client.send('DELETE', `/api/content/${contentId}`)).status).toBe(204);
    expect(await storedOf(contentId)).toEqual({});
    const other = await api.client.upload({ fields: VALUES });
    // Its statement does not name the column.
    await api.database.query(`update content set deleted_at = now(), revision = revision + 1 where content_id = $1`, [other]);
    expect(await storedOf(other)).toEqual({});
  });

  it('a required field is asked of new items, and not of edits and lines of items that lack it', async () => {
    const line = lineWith({ externalId: 'required' });
    const contentId = await api.client.upload();
    await imports.importOf(api.env, [line]);
    await declare({ ...FIELDS, licence: { ...FIELDS.licence, required: true } });
    const isRequired = [{ pointer: '#/fields/licence', detail: 'is required', code: 'required' }];
    for (const fields of [undefined, null, {}, { licence: null }])
      expect(errorsOf(await api.client.tryUpload({ fields }))).toEqual(refused(...isRequired));
    const { json, file } = await imports.importOf(api.env, [lineWith({ externalId: randomUUID() }), { ...line, name: 'Changed' }]);
    expect(json).toMatchObject([{ rejected: 1, changed: 1 }]);
    expect(await rejectedIn(file)).toMatchObject([{ errors: isRequired }]);
    expect((await api.client.send('PATCH', `/api/content/${contentId}`, { name: 'Changed', fields: { players: 3 } })).status).toBe(200);
    expect((await edit(contentId, { licence: 'MIT' })).status).toBe(200);
    expect(errorsOf(await edit(contentId, { licence: null }))).toEqual(refused(...isRequired));
    const given = { ...lineWith({ externalId: 'given' }), fields: { licence: 'MIT' } };
    const later = { ...lineWith({ externalId: 'given' }), name: 'Later' };
    for (const args of [['--dry-run'], []])
      expect((await imports.importOf(api.env, [given, later], ...args)).json).toMatchObject([{ created: 1, changed: 1, rejected: 0 }]);
  });

  it('a value that does not fit a changed definition, or of a removed field, stays, and refuses no other change', async () => {
    const contentId = await api.client.upload({ fields: { players: 4, studio: 'Otter', licence: 'MIT' } });
    await declare({ players: { type: 'keyword' }, licence: FIELDS.licence });
    expect(await fieldsOf(contentId)).toEqual({ licence: 'MIT' });
    expect((await edit(contentId, { players: 4, studio: 'Otter', licence: 'CC0-1.0' })).status).toBe(200);
    expect(await storedOf(contentId)).toEqual({ players: 4, studio: 'Otter', licence: 'CC0-1.0' });
    expect(errorsOf(await edit(contentId, { studio: 'Other' }))).toMatchObject(refused({ pointer: '#/fields/studio' }));
    expect((await edit(contentId, { players: 'four', studio: null })).status).toBe(200);
    expect(await storedOf(contentId)).toEqual({ players: 'four', licence: 'CC0-1.0' });
  });

  it('the values of removed fields take no room from others, and null removes them where the database has none left', async () => {
    const contentId = await api.client.upload({});
    const TEXT = 'é'.repeat(1_990);
    for (const generation of ['a', 'b', 'c', 'd']) {
      await declare({ [`${generation}1`]: { type: 'text' }, [`${generation}2`]: { type: 'text' } });
      expect((await edit(contentId, { [`${generation}1`]: TEXT, [`${generation}2`]: TEXT })).status).toBe(200);
    }
    await declare({ players: FIELDS.players, notes: { type: 'text' } });
    expect((await edit(contentId, { players: 4 })).status).toBe(200);
    const detail = expect.stringContaining('null removes these, which are a1, a2, b1, b2, c1, c2, d1, d2');
    expect(errorsOf(await edit(contentId, { notes: TEXT }))).toMatchObject(refused({ pointer: '#/fields', detail }));
    expect((await edit(contentId, { notes: TEXT, a1: null })).status).toBe(200);
  });

  it.each<Values>([
    { a: 1e-20, b: [-1.234567890123456e-20, 1.5e-7, 0.000001, -0.5, Number.MAX_SAFE_INTEGER, 0], c: [-1e-7] },
    {
      a: '"\\\n\u0001\u007f\u2028é🦦',
      b: [true, false],
      c: { d: 1, e: 'x' },
      f: [
        { d: 1, e: true },
        { d: 2, e: false },
      ],
    },
    {},
  ])('the bytes of values are those that PostgreSQL counts: %j', async (values) => {
    const rows = await api.database.query('select octet_length($1::jsonb::text) as bytes', [JSON.stringify(values)]);
    expect(rows).toEqual([{ bytes: storedBytes(values) }]);
  });

  it('an export has all values, also of removed fields, and its import stores the same', async () => {
    const contentId = await api.client.upload({ name: 'Exported', fields: VALUES });
    const plain = await api.client.upload({ name: 'Exported without values' });
    const exported = async () => itemsOf(await apiCommand(api.env, 'export')).filter(({ contentId: id }) => Number(id) >= contentId);
    const [first, second] = await exported();
    expect(first).toMatchObject({ contentId, fields: VALUES });
    expect(second).toMatchObject({ contentId: plain });
    expect(second).not.toHaveProperty('fields');
    const copy = { ...first, externalId: randomUUID(), contentId: undefined };
    expect((await imports.importOf(api.env, [copy])).json).toMatchObject([{ created: 1, rejected: 0 }]);
    expect((await exported()).at(-1)).toMatchObject({ externalId: copy.externalId, fields: VALUES });
    await declare({ licence: FIELDS.licence });
    expect((await exported())[0]).toMatchObject({ fields: VALUES });
    const { json } = await apiCommand(api.env, 'users', 'export', '1');
    expect(json).toContainEqual(expect.objectContaining({ contentId, fields: VALUES }));
    expect((await imports.importOf(api.env, [{ ...first, name: 'Changed' }])).json).toMatchObject([{ changed: 1, rejected: 0 }]);
    expect(await storedOf(contentId)).toEqual(VALUES);
  });

  it('an export of items that the definitions do not allow any more is imported as new items in the way of docs/moving.md', async () => {
    const licence = { type: 'keyword' };
    const former = { licence, players: { type: 'number' }, studio: { type: 'keyword' } };
    const later = { licence: { ...licence, required: true, values: ['MIT'] }, players: { type: 'keyword' } };
    await declare(former);
    const values = [{}, { licence: 'GPL' }, { licence: 'MIT', players: 4 }, { licence: 'MIT', studio: 'Otter' }];
    const ids: number[] = [];
    for (const fields of values) ids.push(await api.client.upload({ fields }));
    await declare(later);
    const exported = async () => itemsOf(await apiCommand(api.env, 'export'));
    const lines = (await exported())
      .filter(({ contentId }) => ids.includes(Number(contentId)))
      .map((line, n) => ({ ...line, externalId: `new/${n}`, contentId: undefined }));
    expect((await imports.importOf(api.env, lines)).json).toMatchObject([{ ...NONE, rejected: 4 }]);
    await declare({ ...later, licence });
    const { json, file } = await imports.importOf(api.env, lines);
    expect(json).toMatchObject([{ ...NONE, created: 2, rejected: 2 }]);
    await declare(former);
    const rejected = (await rejectedIn(file)).map(({ text = '' }) => text);
    expect((await imports.importOf(api.env, rejected)).json).toMatchObject([{ ...NONE, created: 2 }]);
    await declare(later);
    const moved = (await exported()).filter(({ externalId }) => /^new\//.test(String(externalId)));
    expect(new Map(moved.map(({ externalId, fields = {} }) => [externalId, fields]))).toEqual(
      new Map(values.map((fields, n) => [`new/${n}`, fields])),
    );
  });

  it('an import changes the fields that a line names, and takes a line again once its fields are declared', async () => {
    await declare({});
    const line = lineWith({ externalId: 'later', fields: { players: 4, licence: 'MIT' } });
    const run = async (changed: object, ...args: string[]) => (await imports.importOf(api.env, [{ ...line, ...changed }], ...args)).json[0];
    const exported = async () => itemsOf(await apiCommand(api.env, 'export')).find(({ externalId }) => externalId === 'later')?.['fields'];
    expect(await run({})).toMatchObject({ created: 1 });
    expect(await run({})).toMatchObject({ unchanged: 1 });
    await declare(FIELDS);
    expect(await run({}, '--dry-run')).toMatchObject({ changed: 1 });
    expect(await exported()).toBeUndefined();
    expect(await run({})).toMatchObject({ changed: 1 });
    expect(await run({})).toMatchObject({ unchanged: 1 });
    expect(await run({ fields: { players: 8, multiplayer: false, licence: null } })).toMatchObject({ changed: 1 });
    expect(await exported()).toEqual({ players: 8, multiplayer: false });
    expect(await run({ players: 8, plyers: 8, fields: { players: 9 } })).toMatchObject({
      changed: 1,
      unknownFields: [{ field: 'players', lines: 1, known: 'fields.players' }, expect.objectContaining({ field: 'plyers' })],
    });
  });

  it('--fields-of-tags makes values of tags, and says of which lines they cannot be read', async () => {
    const line = (externalId: string, ...tags: string[]) => lineWith({ externalId, tags });
    const lines = [line('tags/1', 'game:1.20', 'blue', 'game:1.21', 'players:4'), line('tags/2', 'red'), line('tags/3', 'players:many')];
    const args = ['--fields-of-tags', 'game:', '--fields-of-tags', 'players:'];
    const counts = { rejected: 1, fieldsOfTags: { game: 1, players: 1 } };
    expect((await imports.importOf(api.env, lines, ...args, '--dry-run')).json).toMatchObject([{ created: 2, ...counts }]);
    // Imported without the option before, the lines are taken again.
    await imports.importOf(api.env, lines.slice(0, 2));
    const { json, file, stderr } = await imports.importOf(api.env, lines, ...args);
    expect(json).toMatchObject([{ changed: 1, unchanged: 1, ...counts }]);
    expect(stderr).toContain('- game in 1 line');
    expect(await rejectedIn(file)).toMatchObject([
      {
        externalId: 'tags/3',
        errors: [{ pointer: '#/tags', detail: expect.stringMatching(/^has "players:many", .* field players must be a number/) }],
      },
    ]);
    const exported = async () =>
      itemsOf(await apiCommand(api.env, 'export')).filter(({ externalId }) => String(externalId).startsWith('tags/'));
    expect(await exported()).toMatchObject([{ tags: ['blue'], fields: { game: ['1.20', '1.21'], players: 4 } }, { tags: ['red'] }]);
    expect((await imports.importOf(api.env, [line('tags/1', 'blue', 'game:1.19')], ...args)).json).toMatchObject([{ changed: 1 }]);
    expect((await exported())[0]).toMatchObject({ tags: ['blue'], fields: { game: ['1.19'] } });
    expect((await exported())[0]?.['fields']).not.toHaveProperty('players');
  });

  it('an import takes the same lines again once their fields have another type, so that their values fit', async () => {
    const GRADE = { type: 'keyword', many: true };
    await declare({ ...FIELDS, players: { type: 'keyword' }, grade: GRADE });
    const lines = [lineWith({ externalId: 'typed/1', tags: ['players:4'] }), lineWith({ externalId: 'typed/2', fields: { grade: 'A' } })];
    const run = async () => (await imports.importOf(api.env, lines, '--fields-of-tags', 'players:')).json[0];
    const stored = async () =>
      itemsOf(await apiCommand(api.env, 'export')).flatMap(({ externalId, fields }) =>
        String(externalId).startsWith('typed/') ? [fields] : [],
      );
    expect([await run(), await run()]).toMatchObject([{ created: 2 }, { unchanged: 2 }]);
    expect(await stored()).toEqual([{ players: '4' }, { grade: ['A'] }]);
    await declare({ ...FIELDS, grade: { ...GRADE, label: 'Class' } });
    expect(await run()).toMatchObject({ changed: 1, unchanged: 1 });
    await declare({ ...FIELDS, grade: { type: 'keyword' } });
    expect([await run(), await run()]).toMatchObject([{ changed: 1, unchanged: 1 }, { unchanged: 2 }]);
    expect(await stored()).toEqual([{ players: 4 }, { grade: 'A' }]);
  });

  it.each([
    ['other:', 'other is not declared; the fields are licence'],
    ['game', 'game must be the name of a field and a colon'],
    ['build:', 'build is a group'],
  ])('--fields-of-tags %s is an error before anything is read', async (prefix, message) => {
    const { code, stderr, json } = await imports.importOf(api.env, [lineWith({ externalId: randomUUID() })], '--fields-of-tags', prefix);
    expect({ code, json }).toEqual({ code: 2, json: [] });
    expect(stderr).toContain(message);
  });
});

describe('npx pnpm fields', () => {
  const run = async (action: string, file: unknown, ...args: string[]) => {
    const path = join(imports.folder, 'fields.json');
    await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file));
    return apiCommand(api.env, 'fields', action, path, ...args);
  };

  it('show prints the file, which changes nothing when it is applied', async () => {
    await declare(FIELDS);
    const shown = await apiCommand(api.env, 'fields', 'show');
    expect(JSON.parse(shown.stdout)).toEqual({ ...FIELDS, licence: { type: 'keyword', values: ['CC0-1.0', 'MIT'] } });
    expect((await apiCommand(api.env, 'fields', 'show', '--json')).json).toEqual([JSON.parse(shown.stdout)]);
    const stored = () => api.database.query('select name, position, definition, removed_at from declared_field order by name');
    const before = await stored();
    expect(await run('apply', shown.stdout)).toMatchObject({ code: 0 });
    expect(await stored()).toEqual(before);
  });

  it('check stores nothing, and apply says what does not fit, what is lacking and what becomes due', async () => {
    await declare({ players: { type: 'keyword' }, licence: { type: 'keyword' }, level: { type: 'number' } });
    await api.client.upload({ fields: { players: 'four', licence: 'GPL', level: 9 } });
    await api.client.upload({ fields: { players: '4' } });
    const file = {
      players: { type: 'number' },
      licence: { type: 'keyword', required: true, values: ['CC0-1.0', 'MIT'] },
      level: { type: 'number', max: 8 },
    };
    const checked = await run('check', file, '--json');
    expect(checked.json).toEqual([
      { applied: false, fields: ['players', 'licence', 'level'], removed: [], items: expect.any(Number), unfitting: { players: expect.any(Number) }, outside: { licence: expect.any(Number), level: 1 }, lacking: { licence: expect.any(Number) }, rebuildDue: false }, // prettier-ignore
    ]);
    expect(namesIn(await api.client.get('/api/fields'))).toEqual(['players', 'licence', 'level']);
    expect((await api.client.get('/api/fields')).body.fields[2]).not.toHaveProperty('max');
    const applied = await run('apply', file);
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(/players: the values of \d+ items do not fit/) });
    expect(applied.stdout).toMatch(/level: the values of 1 item are outside of what is allowed now\. .* found and counted/);
    expect(applied.stdout).toMatch(/licence is required, and \d+ items lack it/);
    const { players } = (checked.json[0] as { unfitting: { players: number } }).unfitting;
    const status = (await indexCommand(api.env, 'index-status', '--json')).json[0];
    expect(status).toMatchObject({ unfitting: [{ field: 'players', items: players, countedAt: expect.any(String) }] });
    expect((await indexCommand(api.env, 'index-status')).stdout).toContain(`do not fit and are not found: players of ${players} item`);
    await until('the API has the definitions', () => declaredBy(file));
    await api.database.query(`insert into index_target (index_name, role) values ('${api.env['CONTENT_ALIAS']}-v11-1', 'search')`);
    expect(await run('check', file)).toMatchObject({ stderr: expect.stringContaining('A rebuild will be due: npx pnpm index:rebuild') });
    const removed = await run('apply', {});
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed players, licence, level'), stderr: expect.stringContaining('needs nothing') }); // prettier-ignore
    await api.database.query('delete from index_target');
    expect((await apiCommand(api.env, 'fields', 'show')).stdout).toBe('{}\n');
  });

  it('apply refuses while a process of 1.0.0 is connected, which would drop the values, and check and removals do not', async () => {
    const earlier = new pg.Client({ connectionString: api.env['DATABASE_URL'], application_name: 'ugc-indexer' });
    await earlier.connect();
    const refused = await run('apply', FIELDS);
    expect(refused).toMatchObject({ code: 75, stdout: '', stderr: expect.stringContaining('A process of 1.0.0 is still connected') });
    expect([(await run('check', FIELDS)).code, (await run('apply', {})).code]).toEqual([0, 0]);
    await earlier.end();
    await until('it is not seen any more', async () => (await run('apply', FIELDS)).code === 0);
  });

  it.each<[string, unknown, RegExp[]]>([
    ['no JSON', '{', [/is not JSON/]],
    ['a list', [], [/it must be a JSON object/]],
    ['several errors', { Players: { type: 'number' }, game: { type: 'versions', many: 1 } }, [/- Players is no name/, /- game.type must be keyword/, /- game.many must be true or false/]], // prettier-ignore
  ])('says everything that is wrong with a file: %s', async (_what, file, messages) => {
    for (const action of ['check', 'apply']) {
      const { code, stderr } = await run(action, file);
      expect(code).toBe(1);
      for (const message of messages) expect(stderr).toMatch(message);
    }
    expect(await apiCommand(api.env, 'fields', 'apply', '/none.json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be read'),
    });
  });
});
