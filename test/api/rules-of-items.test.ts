import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loadDemo } from '@ugc/api/commands/load-demo';
import { ITEM_RULES, type ItemRule } from '@ugc/items/changes/item-rules';
import { ApiEnv } from '@ugc/api/env';
import { importLines, type ReportedLine } from '@ugc/items/files/import-lines';
import { readLines } from '@ugc/items/files/read-lines';
import { parseEnv } from '@ugc/shared/config/env';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { png } from '../support/database/images.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { expectErrors } from '../support/http/problems.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores } from '../support/processes/service.ts';

// Two rules are made up, one of each kind. No way by which an item is stored may get around them.

const POINTER = '#/name';
const REFUSED = 'refused';
const ERROR = { pointer: POINTER, detail: 'is refused by a rule of this test' };
const BY_ITSELF: ItemRule = { errorsOf: (changes) => changes.map(({ after }) => (after.name === REFUSED ? [ERROR] : [])) };
const BY_COMPARISON: ItemRule = { constraint: 'refused_once', error: ERROR };

let api: ApiAlone;
beforeAll(async () => {
  api = await startApiAlone();
});
afterAll(() => api.stop());

async function importOf(fields: object, isDryRun = false): Promise<{ rejected: ReportedLine[]; externalId: string }> {
  const externalId = 'externalId' in fields ? String(fields.externalId) : randomUUID();
  const line = { externalId, creatorId: 1, name: 'x', description: '', version: 1, data: '', ...fields };
  const rejected: ReportedLine[] = [];
  const nothing = (): void => undefined;
  await importLines(api.database, readLines(Readable.from([Buffer.from(`${JSON.stringify(line)}\n`)]), 2 ** 20), {
    limits: parseEnv(ApiEnv, api.env),
    signal: new AbortController().signal,
    isDryRun,
    updatesCounters: false,
    missingPrefix: undefined,
    isPaced: false,
    onRejected: (one) => void rejected.push(one),
    onItem: nothing,
    onProgress: nothing,
    onMissing: nothing,
    describeFailure: () => undefined,
    onWait: nothing,
  });
  return { rejected, externalId };
}

const refusedByImport = async (fields: object, isDryRun?: boolean): Promise<void> =>
  expect((await importOf(fields, isDryRun)).rejected).toMatchObject([{ errors: [ERROR] }]);
const refusedByApi = async (response: Promise<ApiResponse>): Promise<void> => expectErrors(await response, [POINTER]);

/** The ways by which an item is stored with what a user has written. */
const WAYS: [way: string, isRefused: () => Promise<void>][] = [
  ['an upload', () => refusedByApi(api.client.tryUpload({ name: REFUSED }))],
  ['an upload with a picture', () => refusedByApi(api.client.tryUpload({ name: REFUSED, thumbnail: png().toString('base64') }))],
  ['an upload with a key', () => refusedByApi(api.client.tryUpload({ name: REFUSED }, 1, { 'idempotency-key': randomUUID() }))],
  ['an edit', async () => refusedByApi(api.client.send('PATCH', `/api/content/${await api.client.upload()}`, { name: REFUSED }))],
  ['a new line of an import', () => refusedByImport({ name: REFUSED })],
  ['a changed line of an import', async () => refusedByImport({ ...(await importOf({})), name: REFUSED })],
  ['a new line of a dry run', () => refusedByImport({ name: REFUSED }, true)],
  ['a changed line of a dry run', async () => refusedByImport({ ...(await importOf({})), name: REFUSED }, true)],
];

describe.each([
  ['of an item by itself', BY_ITSELF],
  ['that compares items', BY_COMPARISON],
])('a rule %s', (_kind, rule) => {
  beforeAll(async () => {
    if (!('constraint' in rule)) return;
    await api.database.query(`create unique index ${rule.constraint} on content (name) where name = '${REFUSED}' and deleted_at is null`);
    await api.client.upload({ name: REFUSED });
  });
  afterEach(() => void delete ITEM_RULES['ofThisTest']);

  it.each(WAYS)('holds for %s, which names the field and stores nothing', async (_way, isRefused) => {
    const named = () => api.database.query(`select content_id, revision from content where name = '${REFUSED}' order by 1`);
    ITEM_RULES['ofThisTest'] = rule;
    const before = await named();
    await isRefused();
    expect(await named()).toEqual(before);
  });
});

it('a rule that compares items also holds when a hidden item is shown again', async () => {
  ITEM_RULES['ofThisTest'] = BY_COMPARISON;
  const [taken] = await api.database.query<{ contentId: number }>(`select content_id from content where name = '${REFUSED}'`);
  const moderate = (method: string, body?: object) =>
    api.client.send(method, `/api/content/${taken?.contentId}/hidden`, body, { sub: '3', scope: 'content:moderate' });
  expect((await moderate('PUT', { reason: 'spam' })).status).toBe(204);
  const other = await api.client.upload({ name: REFUSED });
  expectErrors(await moderate('DELETE'), [POINTER]);
  expect((await api.client.send('DELETE', `/api/content/${other}`)).status).toBe(204);
  expect((await moderate('DELETE')).status).toBe(204);
  delete ITEM_RULES['ofThisTest'];
});

it('the demo collection does not wait for the index of a former alias, which nothing makes anew', async () => {
  const { close, ...stores } = openStores(await createEnvironment());
  await stores.database.query('delete from users');
  await stores.database.query(`insert into index_target (index_name, role) values ('former-v11-1', 'search')`);
  // The patience of a loader is that of a test: one that waited would end neither.
  expect(await loadDemo(stores, () => undefined)).toBeGreaterThan(0);
  await close();
});

it('the demo collection keeps the rules, or is not loaded', async () => {
  const { close, ...stores } = openStores(await createEnvironment());
  await stores.database.query('delete from users');
  ITEM_RULES['ofThisTest'] = { errorsOf: (changes) => changes.map(() => [ERROR]) };
  await expect(loadDemo(stores, () => undefined)).rejects.toMatchObject({ errors: [ERROR] });
  delete ITEM_RULES['ofThisTest'];
  expect(await loadDemo(stores, () => undefined)).toBeGreaterThan(0);
  await close();
});
