import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STEPS } from '@ugc/shared/postgres/before-release-1';
import { createSchemaCheck } from '@ugc/shared/postgres/schema';
import { createLog } from '@ugc/shared/process/log';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createDatabase } from '../support/database/database.ts';
import { beginBackup } from '../support/database/made-up-migration.ts';
import { postgresToolsPath } from '../support/database/postgres-tools.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf, startApiCommand } from '../support/processes/command.ts';
import { openStores } from '../support/processes/service.ts';

const PATH = (await postgresToolsPath()) ?? '';
const withTools = PATH === '' ? describe.skip : describe;
const run = promisify(execFile);

/** The migrations of this release, of which the first one is 1.0.0. */
const ALL = readdirSync(new URL('../../packages/shared/migrations/', import.meta.url))
  .map((file) => parse(file).name)
  .toSorted();
const APPLIED = `Applied ${ALL.join(', ')}.\n`;

/** What a user, an operator and the pipeline have stored. */
const ROWS = `insert into users (username, credential) values ('ada', 'test|ada'), ('boris', 'test|boris');
insert into content (creator_id, name, description, data, version, tags, file_name, rating_sum, rating_count)
  values (1, 'kept', '', '', 1, '{tag}', 'kept.json', 9, 2), (2, 'deleted', '', '', 1, '{}', null, 0, 0), (2, 'hidden', '', '', 1, '{}', null, 0, 0);
update content set name = '', deleted_at = '2026-01-01', revision = 7 where content_id = 2;
update content set deleted_at = 'infinity' where content_id = 3;
insert into hidden_content (content_id, creator_id, reason) values (3, 2, 'copied');
insert into rating values (1, 1, 5), (1, 2, 4);
insert into blocked_user (credential_hash, user_id, reason) values (sha256('test|boris'), 2, 'copies');
insert into idempotency_key (user_id, key, request_hash) values (1, 'a key', 'hash');
insert into index_outbox (content_id, revision) values (2, 7);
insert into external_item (external_id, content_id, line_hash, downloads_count) values ('mods/1', 1, sha256('line'), 5);`;
const TABLES = 'users content hidden_content rating blocked_user idempotency_key index_outbox external_item index_control'.split(' ');

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const results = [await client.query<Record<string, unknown>>(text).finally(() => client.end())].flat();
  return results.at(-1)?.rows ?? [];
}

/** A database of the last commit before 1.0.0, with rows. */
async function lastBefore(): Promise<string> {
  const url = await createDatabase();
  await query(url, await readFile(new URL('../support/database/last-before-release-1.sql', import.meta.url), 'utf8'));
  await query(url, ROWS);
  return url;
}

const migrate = (url: string) => apiCommand({ DATABASE_URL: url }, 'migrate');
const namesIn = async (url: string): Promise<unknown[]> =>
  (await query(url, 'select name from schema_migration order by id')).map(({ name }) => name);
const rowsIn = async (url: string): Promise<unknown[]> =>
  Promise.all(TABLES.map((table) => query(url, `select * from ${table} order by 1`)));

async function created(): Promise<string> {
  const url = await createDatabase();
  expect(failureOf(await migrate(url))).toBe('');
  return url;
}

/** What pg_dump writes of the schema, without what differs from call to call. */
async function schemaOf(url: string): Promise<string[]> {
  const { stdout } = await run('pg_dump', ['--schema-only', '--no-owner', url], { env: { ...process.env, PATH } });
  return stdout.split('\n').filter((line) => !/^\\(un)?restrict /.test(line));
}

describe('a database of the last commit before 1.0.0', () => {
  it('becomes one of 1.0.0 in one step, and keeps every row', async () => {
    const url = await lastBefore();
    const before = await rowsIn(url);
    expect(await migrate(url)).toMatchObject({ code: 0, stdout: APPLIED });
    // Later migrations add columns.
    expect(await rowsIn(url)).toMatchObject(before);
    expect(await namesIn(url)).toEqual(ALL);
    expect((await migrate(url)).stdout).toBe('The schema is up to date.\n');
  });

  it.each(STEPS.map((_, n) => n))('is brought forward by the next call after step %d of one that was killed', async (done) => {
    const url = await lastBefore();
    for (const step of STEPS.slice(0, done)) await query(url, step);
    expect(failureOf(await migrate(url))).toBe('');
    expect(await namesIn(url)).toEqual(ALL);
  });

  it('is brought forward beside a backup, which ends first, and holds up no upload', async () => {
    const url = await lastBefore();
    const backup = await beginBackup(url);
    const { result } = startApiCommand({ DATABASE_URL: url }, 'migrate');
    await until(
      'the migration has waited',
      async () =>
      (await query(url, `select from pg_stat_activity where application_name = 'ugc-migrate' and datname = current_database()`)).length > 0, // prettier-ignore
    );
    await query(url, `insert into content (creator_id, name, description, data, version) values (1, 'meanwhile', '', '', 1)`);
    await backup.query('commit');
    await backup.end();
    expect(failureOf(await result)).toBe('');
    expect(await namesIn(url)).toEqual(ALL);
  });

  it('refuses a second user with the same credential afterwards, and a second use of a key', async () => {
    const url = await lastBefore();
    await migrate(url);
    await expect(query(url, `insert into users (username, credential) values ('x', 'test|ada')`)).rejects.toThrow('users_credential_bytes');
    const again = `insert into idempotency_key (user_id, key, request_hash) values (1, 'a key', 'hash')`;
    await expect(query(url, again)).rejects.toThrow('idempotency_key_bytes');
    await query(url, 'create publication everything for all tables');
    await query(url, 'delete from idempotency_key');
  });
});

withTools(`the schema of 1.0.0${PATH === '' ? ' (skipped: no pg_dump 18 on PATH, and none could be downloaded with pip)' : ''}`, () => {
  it('is the same in a new database and in one that was brought forward', async () => {
    const url = await lastBefore();
    await migrate(url);
    const schema = await schemaOf(url);
    expect(schema).toEqual(await schemaOf(await created()));
    expect(schema.join('\n')).not.toMatch(/users_credential_key|idempotency_key_pkey|NOT VALID/);
  });
});

const EARLIER: [string, string[]][] = [
  ['with the old 17 migrations', Array.from({ length: 17 }, (_, n) => `0${String(n + 1).padStart(2, '0')}_${n === 0 ? 'content' : 'x'}`)],
  ['with 001_schema alone', ['001_schema']],
  ['without the last migration', []],
  ['with another migration besides', ['014_other']],
];
const SENTENCE = /schema of a commit before 1\.0\.0\. Check out the commit [0-9a-f]{40}, which brings it forward: run its services/;

describe.each(EARLIER)('a database of an earlier commit, %s,', (title, names) => {
  let url = '';
  beforeAll(async () => {
    url = await lastBefore();
    if (title.startsWith('with the old') || names[0] === '001_schema') await query(url, 'delete from schema_migration');
    else if (names.length === 0) await query(url, 'delete from schema_migration where id = (select max(id) from schema_migration)');
    for (const name of names) await query(url, `insert into schema_migration (name, run_on) values ('${name}', now())`);
  });

  it('is refused by migrate, which names the commit that brings it forward and changes nothing', async () => {
    const before = await namesIn(url);
    const { code, stderr } = await migrate(url);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(SENTENCE) });
    expect(stderr).not.toContain('    at ');
    expect(await namesIn(url)).toEqual(before);
  });

  it('is refused by every process at the start, which logs the commit', async () => {
    const lines: string[] = [];
    const stores = openStores({ DATABASE_URL: url, ELASTICSEARCH_URL: 'http://127.0.0.1:9' });
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
    expect(await createSchemaCheck({ database: stores.database, log })()).toEqual(ALL);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ reason: expect.stringMatching(SENTENCE) }]);
    await stores.close();
  });

  it('is refused by restore without a file', async () => {
    const { code, stderr } = await apiCommand({ DATABASE_URL: url }, 'restore', '--as', 'replacement');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(SENTENCE) });
  });
});

withTools('a backup of an earlier commit', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'before-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function restored(names: string): Promise<{ url: string; code: number; stderr: string }> {
    const from = await lastBefore();
    await query(from, names);
    const file = join(folder, 'backup.dump');
    await run('pg_dump', ['--format=custom', `--file=${file}`, from], { env: { ...process.env, PATH } });
    const url = await createDatabase();
    return { url, ...(await apiCommand({ DATABASE_URL: url, PATH }, 'restore', file, '--as', 'copy')) };
  }

  it('is refused by restore with the commit that brings it forward, and the database stays empty', async () => {
    const { url, code, stderr } = await restored(`delete from schema_migration where name <> '001_schema'`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(SENTENCE) });
    expect(await query(url, `select to_regclass('content') as content`)).toEqual([{ content: null }]);
  });

  it('is restored if it is of the last commit, and migrate brings it forward', async () => {
    const { url, code, stderr } = await restored('select');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    expect((await migrate(url)).stdout).toBe(APPLIED);
  });
});
