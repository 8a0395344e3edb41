import { describe, expect, it } from '@jest/globals';
import { PerItemQueue } from '@ugc/items/changes/ratings';
import { connectPostgres, type Database } from '@ugc/shared/postgres/postgres';
import { CommitUnknown, DatabaseUnavailable, isDatabaseOutage } from '@ugc/shared/postgres/errors';
import { Standby, StandbyGone } from '@ugc/shared/postgres/standby';
import type { Query } from '@ugc/shared/postgres/statements';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KEPT_RELEASES, readKept } from '../support/compatibility/kept.ts';
import {
  exceptionsOf,
  migrationOf,
  problemsOf,
  readMigration,
  readProgram,
  unreleasedMigrations,
} from '../support/database/check-migrations.ts';
import { createAuthority } from '../support/servers/tls.ts';

/** Such as `001_release_1.sql CHECKSUM`. */
const kept = KEPT_RELEASES.flatMap((release) => JSON.parse(readKept(release, 'migrations.json') ?? '[]') as string[]);
const unreleased = unreleasedMigrations(kept.map((line) => line.split(' ')[0] ?? ''));

/** Every exception that a migration since the newest release makes. */
const EXCEPTIONS: [string, string][] = [];

it('old processes can work beside new ones after each migration since the newest release, and it locks no large table', async () => {
  const found = await Promise.all(unreleased.map(async (name) => [name, problemsOf(await readMigration(name))]));
  expect(found).toEqual(unreleased.map((name) => [name, []]));
});

it('every exception is in the table of this test', async () => {
  const found = await Promise.all(
    unreleased.map(async (name) => Object.keys(exceptionsOf(await readMigration(name))).map((rule) => [name, rule])),
  );
  expect(found.flat().toSorted()).toEqual(EXCEPTIONS.filter(([name]) => unreleased.includes(name)));
});

describe('a migration is refused with the rule and what to write instead', () => {
  it.each([
    ['alter table content drop column data', 'ban-drop-column: the previous release uses it'],
    ['alter table content rename column data to body', 'renaming-column: add a column'],
    ['alter table content rename to item', 'renaming-table: the previous release uses the name'],
    ['drop table rating', 'ban-drop-table: the previous release uses it'],
    ['alter table content alter column version type bigint', 'changing-column-type: add a column of the new type'],
    ['alter table content alter column deleted_at set not null', 'adding-not-nullable-field: add `check (COLUMN is not null) not valid`'],
    ['alter table content add column license text not null', 'adding-required-field: the previous release does not write it'],
    ['alter table content add column token uuid default gen_random_uuid()', 'adding-field-with-default: it rewrites the table'],
    ['alter table content add column size integer generated always as (length(data)) stored', 'adding-field-with-default: it rewrites'],
    ['create index content_name on content (name)', 'require-concurrent-index-creation: write `create index concurrently'],
    ['create index concurrently content_name on content (name)', 'ban-concurrent-index-creation-in-transaction: write the migration as'],
    ['alter table content add foreign key (version) references users', 'adding-foreign-key-constraint: add it `not valid`'],
    ['alter table content add constraint short check (length(data) < 9)', 'constraint-missing-not-valid: add it `not valid`'],
    ['alter table content add constraint one unique (name)', 'disallowed-unique-constraint: create a unique index concurrently'],
    ['alter table content ad column x', 'syntax-error: correct the statement'],
  ])('%s', (sql, problem) => {
    expect(problemsOf(migrationOf(`-- Up Migration\n\n${sql};\n`)).join('\n')).toContain(`line 3: ${problem}`);
  });
});

it.each([
  'alter table content add column license text',
  "alter table content add column license text not null default 'none'",
  'alter table content add constraint short check (length(data) < 9) not valid',
  'alter table content validate constraint short',
  'create table license (content_id bigint primary key references content, name text not null); create index on license (name)',
  'select 1;\n-- Down Migration\ndrop table content',
])('a migration may contain: %s', (sql) => {
  expect(problemsOf(migrationOf(`-- Up Migration\n${sql};\n`))).toEqual([]);
});

it('a migration that creates an index outside of a transaction is accepted', async () => {
  const up = (pgm: { sql(text: string): void; noTransaction(): void }): void => {
    pgm.noTransaction();
    pgm.sql('create index concurrently if not exists content_name on content (name)');
  };
  expect(problemsOf(await readProgram('', { up }))).toEqual([]);
});

it('an exception needs a reason, and squawk-ignore is not one', () => {
  const drop = 'alter table content drop column data;\n';
  expect(problemsOf(migrationOf(`-- Exception ban-drop-column: version 1.2 stopped using it\n${drop}`))).toEqual([]);
  expect(problemsOf(migrationOf(`-- Exception ban-drop-column:\n${drop}`))).toHaveLength(1);
  expect(problemsOf(migrationOf(`-- squawk-ignore ban-drop-column\n${drop}`))[0]).toContain('instead of squawk-ignore');
});

/** A message of the PostgreSQL wire protocol: type, length and body. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const AUTHENTICATED = message('R', Buffer.from([0, 0, 0, 0]));
const READY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

async function connectTo(accept: (socket: Socket) => void, connectTimeoutMs: number): Promise<{ server: Server; database: Database }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => accept(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `postgresql://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`;
  const limits = { maxConnections: 2, statementTimeoutMs: 1_000, connectTimeoutMs };
  return { server, database: connectPostgres({ url, applicationName: 'test', onIdleError: () => undefined, ...limits }) };
}

it('a connection that PostgreSQL accepts and closes immediately while it shuts down rejects the query and does not crash the process', async () => {
  const { server, database } = await connectTo((socket) => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTTING_DOWN])), 10_000);
  const statements = Array.from({ length: 5 }, () => database.transaction((tx) => tx.query('select 1')));
  for (const { status, reason } of (await Promise.allSettled(statements)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason).toBeInstanceOf(DatabaseUnavailable);
  }
  await database.close();
  server.close();
});

it('a statement that is not answered is given up soon after the time that the server has for it', async () => {
  const { server, database } = await connectTo((socket) => socket.write(Buffer.concat([AUTHENTICATED, READY])), 100);
  // Timers of one process fire in their order, however busy the machine is.
  const later = delay(10_000, 'later', { ref: false });
  const error: unknown = await Promise.race([database.query('select 1').catch((reason: unknown) => reason), later]);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  await database.close();
  server.close();
});

it.each<[string, (socket: Socket) => unknown]>([
  ['is refused', (socket) => socket.destroy()],
  ['takes too long', () => undefined],
])('a change whose connection %s is not stored, and its result is not unknown', async (_, accept) => {
  const { server, database } = await connectTo(accept, 10);
  const error: unknown = await database.write('select 1').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: 'no connection to PostgreSQL' });
  expect(isDatabaseOutage(error)).toBe(true);
  await database.close();
  server.close();
});

it('a request that waits for a connection while a file of certificates is missing is refused, and the process goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ugc-postgres-'));
  const file = join(folder, 'ca.pem');
  await writeFile(file, (await createAuthority('an authority')).cert);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => void rm(folder, { recursive: true }).then(() => socket.destroy()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `postgresql://u@127.0.0.1:${(server.address() as AddressInfo).port}/d?sslmode=verify-full&sslrootcert=${file}`;
  const limits = { maxConnections: 1, statementTimeoutMs: 1_000 };
  const database = connectPostgres({ url, applicationName: 'test', onIdleError: () => undefined, ...limits });
  const [, waiting] = await Promise.allSettled([database.query('select 1'), database.query('select 2')]);
  expect(waiting).toMatchObject({ reason: { cause: { message: `DATABASE_URL: sslrootcert: the file ${file} cannot be read` } } });
  await database.close();
  server.close();
});

describe('a queued operation on an item', () => {
  async function runSecondAfter(error: Error): Promise<string> {
    const perItemQueue = new PerItemQueue();
    const first = perItemQueue.run(1, () => Promise.reject(error));
    const second = perItemQueue.run(1, () => Promise.resolve('done'));
    await expect(first).rejects.toBe(error);
    return second;
  }

  it('fails without running when the operation before it failed because the database is unavailable', async () => {
    await expect(runSecondAfter(new DatabaseUnavailable('unavailable'))).rejects.toThrow('unavailable');
  });

  it('runs when the commit of the operation before it is unknown, because that concerns only that operation', async () => {
    expect(await runSecondAfter(new CommitUnknown('the connection was lost during the commit'))).toBe('done');
  });
});

it('one or two commits that wait for a standby stop no change, and three do', async () => {
  const refused = [1, 2, 3].map(async (sessions) => {
    const standby = new Standby((() => Promise.resolve([{ sessions, names: 'gone' }])) as Query);
    await standby.problem();
    return standby.guard(() => Promise.resolve('stored')).catch((error: unknown) => error instanceof StandbyGone);
  });
  expect(await Promise.all(refused)).toEqual(['stored', 'stored', true]);
});
