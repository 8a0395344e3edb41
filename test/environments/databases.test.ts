import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { startApi, type RunningApi } from '@ugc/api/start-api';
import { maintainIndex } from '@ugc/indexer/maintain-index';
import { purge } from '@ugc/indexer/purge/purge';
import { readBacklog } from '@ugc/shared/outbox/backlog';
import { listUnacknowledgedJobs } from '@ugc/shared/outbox/claim';
import { parseEnv } from '@ugc/shared/config/env';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { createLog } from '@ugc/shared/process/log';
import { migrate } from '@ugc/shared/postgres/migrate';
import { connectPostgres, type Database } from '@ugc/shared/postgres/postgres';
import { readCollationProblem } from '@ugc/shared/postgres/storing';
import { SchemaOutdated, UnstorableText } from '@ugc/shared/postgres/errors';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import pg from 'pg';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { expectKeptEntries } from '../support/compatibility/kept.ts';
import { keptBackup, keptCommands } from '../support/compatibility/kept-commands.ts';
import { keptRequests, ORIGIN } from '../support/compatibility/kept-requests.ts';
import { createDatabase, uniqueName } from '../support/database/database.ts';
import { beginBackup, firstMigration, migrationsWith } from '../support/database/made-up-migration.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { postgresToolsPath } from '../support/database/postgres-tools.ts';
import { Client } from '../support/http/client.ts';
import { problemsOnPage, readStatus } from '../support/http/operations-status.ts';
import { scrape } from '../support/http/scrape.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { rows } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { apiCommand, failureOf, indexCommand } from '../support/processes/command.ts';
import { createEnvironment, insertUsers, type Environment } from '../support/processes/environment.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';
import { openStores, startService, type Stores, shutDown } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

/** What an administrator may set for a database or a role. */
const SETTINGS: [string, Record<string, string>][] = [
  ['German dates', { DateStyle: 'German', IntervalStyle: 'sql_standard', timezone: 'Asia/Kathmandu', lc_messages: 'C' }],
  [
    'short time limits',
    { statement_timeout: '100ms', lock_timeout: '1ms', idle_in_transaction_session_timeout: '1s', idle_session_timeout: '100ms' },
  ],
  ['dates of SQL', { DateStyle: 'SQL, DMY', extra_float_digits: '-10', bytea_output: 'escape', standard_conforming_strings: 'off' }],
  ['repeatable read', { default_transaction_isolation: 'repeatable read' }],
  ['serializable', { default_transaction_isolation: 'serializable' }],
];

async function admin(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  return client.query(statement).finally(() => client.end());
}

async function withSettings(settings: Record<string, string>): Promise<Environment> {
  const env = await createEnvironment();
  const url = env['DATABASE_URL'] ?? '';
  for (const [name, value] of Object.entries(settings))
    await admin(url, `alter database ${new URL(url).pathname.slice(1)} set ${name} = '${value}'`);
  return env;
}

describe.each(rows(1, SETTINGS))('a database with the settings for %s', (_, settings) => {
  const service = forAllTests(async () => startService(await withSettings(settings)));

  it('stores, indexes, lists, rates and audits items as any other, also when requests change one item at the same time', async () => {
    const before = Date.now();
    const id = await service.client.upload({ name: 'with settings' });
    const changes = Array.from({ length: 20 }, (_, n) => [
      service.client.send('PATCH', `/api/content/${id}`, { name: `with settings ${n}` }),
      service.client.send('POST', `/api/content/${id}/downloads`),
      service.client.send('PUT', `/api/content/${id}/rating`, { score: 1 + (n % 5) }, 2),
    ]);
    for (const { status } of await Promise.all(changes.flat())) expect(status).toBeLessThan(300);
    await service.indexed();
    const { body } = await service.client.get(`/api/content/${id}`);
    const created = Date.parse(String(body.contentDates?.created_at ?? body.createdAt));
    expect(Math.abs(created - before)).toBeLessThan(3_600_000);
    expect(failureOf(await indexCommand(service.env, 'index-audit'))).toBe('');
    await expectNothingLost(service);
  });

  it('tells times in UTC', async () => {
    const id = await service.client.upload({ name: 'deleted' });
    await service.client.send('DELETE', `/api/content/${id}`);
    const told = await (await fetch(`${service.operationsUrl}/item?id=${id}`)).text();
    expect(told).toMatch(/deleted at \d{4}-\d\d-\d\dT[\d:.]+\+00:00"/);
  });
});

describe('a database with the encoding LATIN1', () => {
  let url: string;
  beforeAll(async () => {
    const base = new URL((await createEnvironment())['DATABASE_URL'] ?? '');
    const name = `latin_${base.pathname.slice(1)}`;
    await admin(base.href, `create database ${name} encoding 'LATIN1' template template0 locale_provider libc lc_collate 'C' lc_ctype 'C'`);
    base.pathname = `/${name}`;
    url = base.href;
  });

  it('is refused by the migration, which says what to do', async () => {
    const { code, stderr } = await apiCommand({ DATABASE_URL: url }, 'migrate');
    expect(code).toBe(1);
    expect(stderr).toMatch(/has the encoding LATIN1 and must have UTF8; create another one/);
    expect(stderr).not.toContain('    at ');
    expect((await admin(url, `select to_regclass('content') as content`)).rows).toEqual([{ content: null }]);
  });

  it('that an older release has migrated goes on, and says which text it cannot store', async () => {
    await admin(url, 'create table schema_migration (id serial primary key, name varchar(255) not null, run_on timestamp not null)');
    await migrate(url);
    const { database, close } = openStores({ DATABASE_URL: url, ELASTICSEARCH_URL: 'http://127.0.0.1:9' });
    await database.query(`insert into users (username, credential) values ('é', 'test|é')`);
    await expect(database.query(`insert into users (username, credential) values ($1, 'test|x')`, ['😀'])).rejects.toBeInstanceOf(
      UnstorableText,
    );
    await close();
  });
});

describe('after the clock of PostgreSQL was set back', () => {
  const service = forAllTests(() => startService());

  it('a change that is due in the future is indexed soon, and no age is negative', async () => {
    await service.indexed();
    const [id = 0] = await insertItems(service.database, { count: 1, prefix: 'of the future', pending: false });
    await service.database.query(
      `insert into index_outbox (content_id, revision, pending_since, due_at)
       values ($1, 1, now() + interval '1 h', now() + interval '1 h')`,
      [id],
    );
    expect((await readBacklog(service.database)).oldestPendingSeconds ?? 0).toBeGreaterThanOrEqual(0);
    await until('it is indexed', async () => (await service.database.query('select 1 from index_outbox')).length === 0);
    await service.indexed();
    expect(await service.client.search('"of the future"')).toHaveLength(1);
  });

  it('a job that was claimed in the future and is lost is found', async () => {
    const { database, close } = openStores(await createEnvironment());
    await database.query(
      `insert into index_outbox (content_id, revision, job_id, claimed_at, due_at) values (1, 1, gen_random_uuid(), now() + interval '2 h', 'infinity')`,
    );
    expect(await listUnacknowledgedJobs(database, 5_000)).toHaveLength(1);
    await close();
  });
});

it('a read-only database is unavailable for writes, as its administrator wants it to be', async () => {
  const env = await withSettings({ default_transaction_read_only: 'on' });
  const service = openStores(env);
  await expect(service.database.query(`update users set username = 'x'`)).rejects.toThrow('SQLSTATE 25006');
  await expect(service.database.transaction((tx) => tx.query(`update users set username = 'x'`))).rejects.toThrow('SQLSTATE 25006');
  await service.close();
});

describe('a PostgreSQL that can be read and stores no changes', () => {
  const api = forAllTests(() => startApiAlone());
  const ready = async () => (await api.client.get('/health/ready')).body;
  const run = (statement: string) => admin(api.env['DATABASE_URL'] ?? '', statement);
  const failWith = (sqlState: string) => async () => {
    await run(`create function fail() returns trigger language plpgsql as $$ begin raise exception using errcode = '${sqlState}'; end $$`);
    await run('create trigger fail before insert on content for each statement execute function fail()');
    return () => run('drop function fail cascade');
  };
  const lockWith = async (statement: string) => {
    const client = new pg.Client(api.env['DATABASE_URL'] ?? '');
    await client.connect();
    await client.query(`begin; ${statement}`);
    return () => client.end();
  };
  const lock = () => lockWith('lock table content in share mode');
  const standby = async () => {
    const name = new URL(api.env['DATABASE_URL'] ?? '').pathname.slice(1);
    const onServer = (statement: string) => admin(process.env['TEST_DATABASE_URL'] ?? '', statement);
    await onServer(`alter database ${name} set default_transaction_read_only = on`);
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'ugc-api%' and datname = '${name}'`);
    return () => onServer(`alter database ${name} reset default_transaction_read_only`);
  };

  it.each<[string, string, string, () => Promise<() => Promise<unknown>>]>([
    ['read-only', 'read_only', 'PostgreSQL is read-only', standby],
    ['without space on its disk', 'refuses', 'the disk of PostgreSQL is full', failWith('53100')],
    ['without transaction ids', 'refuses', 'used up its transaction ids', failWith('54000')],
    ['without a privilege', 'refuses', 'grant the privilege', failWith('42501')],
    ['with a locked table', 'refuses', 'a table or a row is locked', lock],
    ['with a locked table that the probe does not need', 'refuses', 'is locked', () => lockWith('lock table users in exclusive mode')],
  ])('is said by readiness, metric and operators page until it stores them again: %s', async (_, state, problem, fail) => {
    const id = await api.client.upload();
    const mend = await fail();
    // The second failure tells a locked table from a locked row.
    for (const time of ['once', 'twice']) await until(`uploads fail ${time}`, async () => (await api.client.tryUpload()).status === 503);
    await until('readiness says so', async () => (await ready()).stores.postgres === state);
    expect((await ready()).status).toBe('degraded');
    await until('the page says why', async () => (await problemsOnPage(api)).some((text) => text.includes(problem)));
    expect((await api.client.get('/health/ready')).status).toBe(200);
    expect((await scrape(api.operationsUrl)).get('ugc_postgres_stores_changes')).toBe(0);
    expect((await readStatus(api.operationsUrl)).postgresProblem).toContain(problem);
    expect((await api.client.get(`/api/content/${id}`)).status).toBe(200);
    await mend();
    await until('uploads succeed', async () => (await api.client.tryUpload()).status === 201);
    await until('readiness says so', async () => (await ready()).stores.postgres === 'up');
    expect((await scrape(api.operationsUrl)).get('ugc_postgres_stores_changes')).toBe(1);
  });

  it('is not said while one row is locked', async () => {
    const id = await api.client.upload();
    const mend = await lockWith(`select from content where content_id = ${id} for update`);
    expect((await api.client.send('PATCH', `/api/content/${id}`, { name: 'of a locked row' })).status).toBe(503);
    expect((await ready()).stores.postgres).toBe('up');
    expect((await readStatus(api.operationsUrl)).postgresProblem).toBe(null);
    await mend();
  });

  it('is said by index:status', async () => {
    const mend = await lock();
    expect((await indexCommand(api.env, 'index-status', '--json')).json[0]).toMatchObject({
      postgresProblem: expect.stringContaining('is locked'),
    });
    await mend();
    expect((await indexCommand(api.env, 'index-status', '--json')).json[0]).toMatchObject({ postgresProblem: null });
  });
});

/** The statements of docs/stores.md for these roles. */
function documentedGrants(owner: string, role: string): string {
  const text = readFileSync(join(CHECKOUT, 'docs/stores.md'), 'utf8');
  const [, statements = ''] = /^### A role that is no owner$[^]*?^```sql\n([^]*?)^```$/m.exec(text) ?? [];
  return statements.replaceAll('ugc_owner', owner).replaceAll(/\bugc\b/g, role);
}

const PATH = await postgresToolsPath();
const withTools = PATH ? it : it.skip;
const skipped = PATH ? '' : ' (skipped: no pg_dump 18 on PATH, and none could be downloaded with pip)';

describe('a role that owns nothing, with the privileges that docs/stores.md grants', () => {
  const [owner, role] = [uniqueName(), uniqueName()];
  let ownerUrl: string;
  let url: string;
  const urlOf = (user: string, base: string): string => Object.assign(new URL(base), { username: user }).href;
  beforeAll(async () => {
    const server = await createDatabase();
    await admin(server, `create role ${owner} login; create role ${role} login`);
    await admin(server, `alter database ${new URL(server).pathname.slice(1)} owner to ${owner}`);
    ownerUrl = urlOf(owner, server);
    url = urlOf(role, server);
    // Tables are there before the grants, and others come with a later migration.
    await migrate(ownerUrl, { dir: await firstMigration() });
    await admin(ownerUrl, documentedGrants(owner, role));
    await migrate(ownerUrl, { dir: await migrationsWith('900_made_up.sql', 'create table made_up (id serial primary key, name text);') });
    await insertUsers(url);
  });
  const service = forAllTests(() =>
    startSemanticService({
      DATABASE_URL: url,
      SEARCH_INSIGHTS: 'true',
      CORS_ORIGINS: ORIGIN,
      ...Object.fromEntries(['WRITES', 'LISTS', 'READS', 'FAILED_TOKENS'].map((kind) => [`RATE_LIMIT_${kind}_PER_MINUTE`, '1000000'])),
    }),
  );

  it('is enough for each request, with the responses that the owner gets', async () => {
    expectKeptEntries('responses.json', await keptRequests(service));
  });

  withTools(`is enough for each command but restore, also for a backup and a rebuild${skipped}`, async () => {
    const commands = await keptCommands(service);
    const backup = await keptBackup({ ...service.env, PATH: PATH ?? '' }, join(await dataFolder('backup-'), 'backup.dump'));
    expectKeptEntries('json-of-commands.json', [...commands, ...backup]);
  });

  it('is enough for the import of the demo, for purges, and for tables of later migrations', async () => {
    expect(failureOf(await apiCommand(service.env, 'load-demo'))).toBe('');
    await service.database.query(`update content set deleted_at = now() - interval '8 days' where deleted_at is not null`);
    await service.database.query(
      `insert into idempotency_key (user_id, key, request_hash, created_at) values (1, 'old', '', now() - interval '2 days')`,
    );
    await service.indexed();
    await until('everything is purged', () => purge(indexDeps(service)));
    expect(await service.database.query(`select 1 from content where deleted_at is not null`)).toEqual([]);
    expect(await service.database.query(`insert into made_up (name) values ('x') returning id`)).toEqual([{ id: 1 }]);
  });

  it('permits no change of a table or a role, and readiness reports no problem', async () => {
    for (const statement of [
      'create table public.own (id integer)',
      'alter table content add column own text',
      'drop table content',
      'truncate content',
      'create role intruder',
    ])
      await expect(admin(url, statement)).rejects.toMatchObject({ code: '42501' });
    expect((await service.client.get('/health/ready')).body).toMatchObject({ status: 'ready', stores: { postgres: 'up' } });
    await service.embedded();
    await expectNothingLost(service);
  });
});

describe('a database whose collation has another version than its indices', () => {
  it('is a problem with the commands that mend it', async () => {
    const name = uniqueName();
    const server = process.env['TEST_DATABASE_URL'] ?? '';
    await admin(server, `create database ${name} template template0 locale_provider builtin builtin_locale 'C.UTF-8'`);
    await admin(server, `update pg_database set datcollversion = '0' where datname = '${name}'`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    const database = connect({ DATABASE_URL: url.href });
    const problem = (await readCollationProblem(database)) ?? '';
    const [, reindex = '', refresh = ''] = /run (reindex .*), then (alter .*)$/.exec(problem) ?? [];
    expect([reindex, refresh]).toEqual([expect.stringContaining(name), expect.stringContaining(name)]);
    for (const command of [reindex, refresh]) await admin(url.href, command);
    expect(await readCollationProblem(database)).toBe(undefined);
    await database.close();
  });

  it('finds credentials and keys all the same, because their indices are in the order of bytes', async () => {
    const { database, close } = openStores(await createEnvironment());
    const indices = await database.query<{ name: string }>(
      `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
         join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
       where n.nspname = 'public' and 'pg_catalog.default'::regcollation::oid = any(i.indcollation::oid[]) order by 1`,
    );
    // They have a few rows with names of the service.
    const NAMES = ['embedding_model_state', 'index_lock_pkey', 'index_target_pkey', 'index_target_role'];
    expect(indices.map(({ name }) => name)).toEqual(NAMES);
    await close();
  });
});

const connect = (env: Environment): Database =>
  connectPostgres({
    url: env['DATABASE_URL'] ?? '',
    applicationName: 'test',
    maxConnections: 2,
    statementTimeoutMs: 20_000,
    onIdleError: () => undefined,
  });

describe('with an empty database', () => {
  let env: Environment;
  let stores: Stores;
  let api: RunningApi;
  let client: Client;
  const log = createLog('test', 'silent');
  beforeAll(async () => {
    env = { ...(await createEnvironment()), DATABASE_URL: await createDatabase() };
    stores = openStores(env);
    api = await startApi(parseEnv(ApiEnv, env), log);
    client = new Client(`http://127.0.0.1:${api.port}`);
  });
  afterAll(async () => {
    await shutDown(log, api.shutdown);
    await stores.close();
  });

  it('the API is not ready, and names the missing migrations', async () => {
    const { status, body } = await client.get('/health/ready');
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'unavailable', stores: { postgres: 'outdated' } });
    expect(body.missingMigrations).toContain('001_release_1');
  });

  it('an upload is 503, because nothing was stored', async () => {
    expect(await client.tryUpload({ name: 'too early' })).toMatchObject({ status: 503 });
  });

  it('an indexer says once which migrations are missing', async () => {
    const lines: string[] = [];
    const passes: number[] = [];
    const deps = { ...indexDeps({ ...stores, env }), log: createLog('test', 'info', { write: (line) => void lines.push(line) }) };
    const maintenance = maintainIndex(deps, () => void passes.push(1));
    await until('two passes have ended', () => passes.length >= 2);
    await maintenance.stop();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ msg: expect.stringContaining('migrate.ts'), missingMigrations: expect.arrayContaining(['001_release_1']) }),
    ]);
  });

  it('a command says what to do, without a stack trace', async () => {
    const { code, stderr } = await indexCommand(env, 'index-rejected', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('lacks migrations');
    expect(stderr).not.toContain('    at ');
  });

  it('the API is ready after the migration, also with a newer schema', async () => {
    await migrate(env['DATABASE_URL'] ?? '');
    await stores.database.query(`insert into schema_migration (name, run_on) values ('999_of_a_newer_release', now())`);
    await insertUsers(env['DATABASE_URL'] ?? '');
    await until('PostgreSQL is up', async () => (await client.get('/health/ready')).body.stores?.postgres === 'up');
    expect((await client.get('/health/ready')).body.missingMigrations).toBe(undefined);
    expect(await client.tryUpload({ name: 'in time' })).toMatchObject({ status: 201 });
  });
});

describe('a migration beside a long transaction, such as that of a backup,', () => {
  let env: Environment;
  let api: RunningApi;
  let client: Client;
  let stores: Stores;
  let backup: Awaited<ReturnType<typeof beginBackup>>;
  let lines: string[];
  const log = createLog('test', 'silent');
  const url = (): string => env['DATABASE_URL'] ?? '';
  const report = (line: string): void => void lines.push(line);
  const columns = () => stores.database.query(`select from information_schema.columns where column_name = 'made_up'`);
  const validity = () => stores.database.query(`select indisvalid as valid from pg_index where indexrelid = to_regclass('made_up_index')`);
  const uploadAndGet = async (): Promise<number[]> => {
    const upload = await client.tryUpload({ name: 'beside a migration' });
    const get = await client.get(`/api/content/${(upload.body as { content_id?: number }).content_id}`);
    return [upload.status, get.status];
  };
  beforeEach(async () => {
    env = await createEnvironment();
    stores = openStores(env);
    api = await startApi(parseEnv(ApiEnv, env), log);
    client = new Client(`http://127.0.0.1:${api.port}`);
    lines = [];
    backup = await beginBackup(url());
  });
  afterEach(async () => {
    await backup.end();
    await shutDown(log, api.shutdown);
    await stores.close();
  });

  it('lets uploads and reads go on, names the session that it waits for, and succeeds afterwards', async () => {
    const dir = await migrationsWith('900_made_up.sql', 'alter table content add column made_up text;');
    const migrating = migrate(url(), { dir, report });
    await until('it waits', () => lines.length > 0);
    expect(lines[0]).toMatch(
      new RegExp(
        `^900_made_up waits for session ${backup.processID} \\(nightly backup, idle in transaction, in a transaction since \\d{4}-`,
      ),
    );
    await until('an upload and a read succeed', async () => (await uploadAndGet()).join() === '201,200');
    expect(await columns()).toHaveLength(0);
    await backup.query('commit');
    expect(await migrating).toEqual(['900_made_up']);
    expect(await columns()).toHaveLength(1);
  });

  async function leaveInvalid(create: string): Promise<void> {
    const killed = new pg.Client({ connectionString: url(), lock_timeout: 1 });
    await killed.connect();
    await expect(killed.query(create)).rejects.toThrow('lock timeout');
    await killed.end();
  }

  it('builds an index beside it to the end, also one that a killed migration has left invalid', async () => {
    const create = 'create index concurrently if not exists made_up_index on content (name)';
    await leaveInvalid(create);
    expect(await validity()).toEqual([{ valid: false }]);
    const dir = await migrationsWith(
      '900_made_up.js',
      `exports.up = (pgm) => { pgm.noTransaction(); pgm.sql('-- a comment\\n${create}'); };`,
    );
    const migrating = migrate(url(), { dir, report });
    await until('it waits', () => lines.some((line) => line.includes(`900_made_up waits for session ${backup.processID} (nightly backup`)));
    expect(await uploadAndGet()).toEqual([201, 200]);
    const another = migrate(url(), { dir, report });
    await until('the other one waits', () => lines.some((line) => /Another migration is running: session \d+ \(ugc-migrate/.test(line)));
    await backup.query('commit');
    expect([await migrating, await another]).toEqual([['900_made_up'], []]);
    expect(await validity()).toEqual([{ valid: true }]);
  });
});

it('a migration that gets one of its two connections keeps none', async () => {
  const url = new URL(await createDatabase());
  const role = uniqueName();
  await admin(url.href, `create role ${role} login connection limit 1`);
  url.username = role;
  await expect(migrate(url.href)).rejects.toThrow('too many connections for role');
  const ofRole = `select 1 from pg_stat_activity where usename = '${role}'`;
  await until('no connection is open', async () => (await admin(process.env['TEST_DATABASE_URL'] ?? '', ofRole)).rows.length === 0);
});

describe('on a connection that stays busy during a migration', () => {
  let database: Database;
  beforeAll(async () => {
    const env = await createEnvironment();
    database = connect(env);
    await database.query('create table changing (id integer primary key, value integer)');
    await database.query('insert into changing values (1, 1)');
  });
  afterAll(() => database.close());
  const read = { name: 'read-changing', text: 'select * from changing' };

  it('a prepared read succeeds after the type of a column has changed', async () => {
    expect(await database.query(read)).toEqual([{ id: 1, value: 1 }]);
    await database.query('alter table changing alter value type text');
    expect(await database.query(read)).toEqual([{ id: 1, value: '1' }]);
    await database.query('alter table changing add column more integer');
    expect(await database.query(read)).toEqual([{ id: 1, value: '1', more: null }]);
  });

  it('a prepared read succeeds after the session has lost its prepared statements', async () => {
    await database.query(read);
    await database.query(read);
    await database.query('deallocate all');
    expect(await database.query(read)).toHaveLength(1);
  });

  it('a missing table says that the schema is older', async () => {
    await expect(database.query('select * from a_table_of_the_future')).rejects.toBeInstanceOf(SchemaOutdated);
  });
});

it('a connection that is ready after its statement has given up returns to the pool', async () => {
  const { DATABASE_URL = '' } = await createEnvironment();
  const limits = { maxConnections: 2, statementTimeoutMs: 20_000, connectTimeoutMs: 50 };
  const database = connectPostgres({ url: DATABASE_URL, applicationName: 'test', onIdleError: () => undefined, ...limits });
  await database.query('select 1');
  database.pool.once('connect', (client) => delayNextQuery(client, storeTimeout(60)));
  // The second statement needs a new connection, which is ready too late.
  const results = await Promise.allSettled([database.query('select 1'), database.query('select 1')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  // It waits until each connection has returned.
  await database.close();
});

function delayNextQuery(client: pg.PoolClient, delayMs: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => void;
  const delayed = (...args: unknown[]): void => {
    Object.assign(client, { query });
    setTimeout(() => query(...args), delayMs);
  };
  Object.assign(client, { query: delayed });
}
