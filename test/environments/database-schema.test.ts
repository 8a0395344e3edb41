import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectPostgres, type Database } from '@ugc/shared/stores/postgres';
import { SchemaOutdated } from '@ugc/shared/stores/postgres-errors';
import { migrate } from '@ugc/shared/stores/migrate';
import { createLog } from '@ugc/shared/process/log';
import { parseEnv } from '@ugc/shared/process/env';
import { ApiEnv } from '@ugc/api/env';
import { startApi, type RunningApi } from '@ugc/api/start-api';
import { maintainIndex } from '@ugc/indexer/maintain-index';
import pg from 'pg';
import { Client } from '../support/http/client.ts';
import { indexCommand } from '../support/processes/command.ts';
import { createDatabase } from '../support/database/database.ts';
import { beginBackup, migrationsWith } from '../support/database/made-up-migration.ts';
import { createEnvironment, insertUsers, type Environment } from '../support/processes/environment.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { openStores, type Stores } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';
import { shutDown } from '../support/processes/shut-down.ts';

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
    const base = await createEnvironment();
    env = { ...base, DATABASE_URL: await createDatabase(`empty_${base['CONTENT_ALIAS']}`) };
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
    expect(body.missingMigrations).toContain('001_content');
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
      expect.objectContaining({ msg: expect.stringContaining('migrate.ts'), missingMigrations: expect.arrayContaining(['001_content']) }),
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
