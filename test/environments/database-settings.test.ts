import { beforeAll, describe, expect, it } from '@jest/globals';
import { listUnacknowledgedJobs } from '@ugc/shared/outbox/claim';
import { readBacklog } from '@ugc/shared/outbox/backlog';
import { migrate } from '@ugc/shared/stores/migrate';
import { UnstorableText } from '@ugc/shared/stores/postgres-errors';
import pg from 'pg';
import { failureOf, apiCommand, indexCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { rows } from '../support/jest/long.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { openStores, startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

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
      service.client.send('PUT', `/api/content/${id}/rating`, { score: 1 + (n % 5) }),
    ]);
    for (const { status } of await Promise.all(changes.flat())) expect(status).toBeLessThan(300);
    await service.indexed();
    const { body } = await service.client.get(`/api/content/${id}`);
    const created = Date.parse(String(body.contentDates?.created_at ?? body.createdAt));
    expect(Math.abs(created - before)).toBeLessThan(3_600_000);
    expect(failureOf(await indexCommand(service.env, 'index-audit'))).toBe('');
    await expectNothingLost(service);
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
