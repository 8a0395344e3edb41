import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { createDatabase, TEMPLATE_DATABASE } from '../support/database/database.ts';
import { postgresToolsPath } from '../support/database/postgres-tools.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf, indexCommand, startApiCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { startHalfService } from '../support/processes/half-service.ts';
import { startService, untilIndexed, type Service } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

const PATH = await postgresToolsPath();
const title = PATH ? 'a backup' : 'a backup (skipped: no pg_dump 18 on PATH, and none could be downloaded with pip)';

type Restored = { as: string; database: string; missingMigrations: string[]; nextSteps: string[] };

const command = (env: Environment, name: string, ...args: string[]) => apiCommand({ ...env, PATH: PATH ?? '' }, name, ...args);
const emptyDatabase = (): Promise<string> => createDatabase(`r${randomBytes(6).toString('hex')}`);

async function listedIds({ client }: Pick<Service, 'client'>): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 0; ; page++) {
    const { body } = await client.list({ size: 100, page, sort: 'createdAt' });
    ids.push(...body.content.map(({ contentId }) => contentId));
    if (page + 1 >= body.totalPages) return ids.toSorted((a, b) => a - b);
  }
}

async function storedIds({ database }: Pick<Service, 'database'>): Promise<number[]> {
  const rows = await database.query<{ contentId: number }>('select content_id from content where deleted_at is null order by content_id');
  return rows.map(({ contentId }) => contentId);
}

async function auditOf(env: Environment): Promise<unknown> {
  const { code, json } = await indexCommand(env, 'index-audit', '--json');
  return { code, ...(json.at(-1) as object) };
}

const CLEAN = { code: 0, missing: 0, stale: 0, ahead: 0, orphaned: 0, dropped: 0, repairing: false };

/** Runs the commands that `restore` prints. */
async function repairAsTold(env: Environment, printed: string): Promise<void> {
  expect(printed).toMatch(/npx pnpm index:adopt:.*\n\d\. npx pnpm index:audit --repair:/);
  expect(failureOf(await indexCommand(env, 'index-adopt'))).toBe('');
  expect(failureOf(await indexCommand(env, 'index-audit', '--repair'))).toBe('');
}

async function query(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements.slice(0, -1)) await client.query(statement);
    return (await client.query<Record<string, unknown>>(statements.at(-1) ?? '')).rows;
  } finally {
    await client.end();
  }
}

/** Writes a complete file of pg_dump. */
async function dump(file: string, url: string): Promise<string> {
  await promisify(execFile)('pg_dump', ['--format=custom', `--file=${file}`, url], { env: { PATH } });
  return file;
}

async function cutFrom(file: string, bytes: (size: number) => number): Promise<string> {
  const cut = `${file}.cut-${randomBytes(6).toString('hex')}`;
  await copyFile(file, cut);
  await truncate(cut, bytes((await stat(file)).size));
  return cut;
}

/** What somebody may take for a backup of this service. */
const NO_BACKUPS: [string, (folder: string, whole: string) => Promise<string>][] = [
  ['the first half of a backup', (_, whole) => cutFrom(whole, (size) => Math.floor(size / 2))],
  ['a backup without its last byte', (_, whole) => cutFrom(whole, (size) => size - 1)],
  ['an empty file', (_, whole) => cutFrom(whole, () => 0)],
  ['a file of text', async () => import.meta.filename],
  [
    'a backup of another program',
    async (folder) => {
      const url = await emptyDatabase();
      await query(url, 'create table content (id serial primary key, body text)', `insert into content (body) values ('foreign')`);
      return dump(join(folder, 'other.dump'), url);
    },
  ],
  [
    'a backup of this service in a schema that is not used here',
    async (folder) => {
      const url = await createDatabase(`s${randomBytes(6).toString('hex')}`, TEMPLATE_DATABASE);
      await query(url, 'alter schema public rename to elsewhere', 'create schema public');
      return dump(join(folder, 'elsewhere.dump'), url);
    },
  ],
];

/** Makes the creation of each index fail, as on a full disk. */
const FULL_DISK = [
  `create function fill_disk() returns event_trigger language plpgsql as $$ begin
     raise 'could not extend file: No space left on device' using errcode = 'disk_full';
   end $$`,
  `create event trigger full_disk on ddl_command_end when tag in ('CREATE INDEX') execute function fill_disk()`,
];
const DISK_WITH_SPACE = ['drop event trigger full_disk', 'drop function fill_disk()'];

(PATH ? describe : describe.skip)(title, () => {
  let service: Service;
  let folder: string;
  let file: string;
  const uploads = new Uploads();
  const beforeBackup = new Uploads();
  beforeAll(async () => {
    service = await startService();
    folder = await dataFolder('backup-');
    file = join(folder, 'ugc.dump');
    const result = await whileUsed(() => command(service.env, 'backup', file));
    expect(failureOf(result)).toBe('');
    expect(result.stdout).toContain(`${file} is complete`);
  });
  afterAll(() => service.stop());

  /** Uploads, edits and deletes items while the work runs. */
  async function whileUsed<T>(work: () => Promise<T>): Promise<T> {
    const { client } = service;
    const ids: number[] = [];
    for (let n = 0; n < 40; n++) ids.push(await client.upload({ name: `changed ${n}` }));
    await until('uploads are accepted', async () => (await uploads.sendMany(client, 'first', 20), uploads.accepted.size >= 20));
    for (const [id, name] of uploads.accepted) beforeBackup.accepted.set(id, name);
    const run = work();
    const change = async (): Promise<void> => {
      for (const [n, id] of ids.entries()) {
        await client.send('PATCH', `/api/content/${id}`, { description: `edited ${n}` });
        if (n % 3 === 0) await client.send('DELETE', `/api/content/${id}`);
      }
    };
    const [result] = await Promise.all([uploads.sendDuring(client, 'during', run), change()]);
    return result;
  }

  it('is readable by nobody else, and its folder contains nothing unfinished', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'latin1')).toMatch(/^PGDMP/);
  });

  it('restored as a copy, has every committed item, finds these and no others, and disturbs the original nowhere', async () => {
    const env = { ...(await createEnvironment()), DATABASE_URL: await emptyDatabase() };
    const result = await command(env, 'restore', file, '--as', 'copy', '--json');
    expect(failureOf(result)).toBe('');
    const { missingMigrations, nextSteps } = result.json[0] as Restored;
    expect(missingMigrations).toEqual([]);
    expect(nextSteps[0]).toContain('CONTENT_ALIAS and QUEUE_PREFIX');
    const copy = await startService(env);
    try {
      expect((await readIdentity(copy.database)).id).not.toBe((await readIdentity(service.database)).id);
      await expectNothingLost(copy, beforeBackup);
      expect(await auditOf(env)).toEqual(CLEAN);
      expect(await listedIds(copy)).toEqual(await storedIds(copy));
      await copy.client.upload({ name: 'only in the copy' });
      await copy.indexed();
      expect(await copy.client.search('"only in the copy"')).toEqual(['only in the copy']);
    } finally {
      await copy.stop();
    }
    await expectNothingLost(service, uploads);
    expect(await service.client.search('"only in the copy"')).toEqual([]);
  });

  it('is refused by a database that holds the service, and with --overwrite replaces it while API and indexers run', async () => {
    const { client, env } = service;
    await client.upload({ name: 'lost by the restore' });
    await service.indexed();
    const refused = await command(env, 'restore', file, '--as', 'replacement');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/holds tables of this service .*--overwrite/) });
    expect(await client.search('"lost by the restore"')).toHaveLength(1);

    const { id } = await readIdentity(service.database);
    const result = await command(env, 'restore', file, '--as', 'replacement', '--overwrite');
    expect(failureOf(result)).toBe('');
    expect((await readIdentity(service.database)).id).toBe(id);
    await until('the API is ready', async () => (await client.get('/health/ready')).body?.status === 'ready');
    await repairAsTold(env, result.stdout);
    await expectNothingLost(service, beforeBackup);
    expect(await client.search('"lost by the restore"')).toEqual([]);
    expect(await listedIds(service)).toEqual(await storedIds(service));
  });

  it('restored into another database as a replacement, takes over the indices of the former one', async () => {
    const former = await startService();
    await former.client.upload({ name: 'kept' });
    const own = join(folder, 'moved.dump');
    expect(failureOf(await command(former.env, 'backup', own))).toBe('');
    await former.client.upload({ name: 'lost by the move' });
    await former.indexed();
    await former.stop();
    const env = { ...former.env, DATABASE_URL: await emptyDatabase() };
    const result = await command(env, 'restore', own, '--as', 'replacement');
    expect(failureOf(result)).toBe('');
    const moved = await startHalfService(env);
    try {
      await repairAsTold(env, result.stdout);
      await until('lists return 200', async () => (await moved.client.list()).status === 200);
      // The audit does not count an item that is still in the outbox.
      await expectNothingLost({ ...moved, indexed: () => untilIndexed(moved, env) });
      expect(await moved.client.search('kept lost')).toEqual(['kept']);
    } finally {
      await moved.stop();
    }
  });

  describe('restored with --overwrite, leaves the database as it was', () => {
    let before: number[];
    beforeEach(async () => void (before = await storedIds(service)));
    afterEach(async () => {
      expect(await storedIds(service)).toEqual(before);
      await service.client.upload({ name: 'after a restore that failed' });
      await expectNothingLost(service, beforeBackup);
    });
    const overwrite = (from: string, path = PATH) => startApiCommand({ ...service.env, PATH: path ?? '' }, 'restore', from, ...OVERWRITE);
    const OVERWRITE = ['--as', 'replacement', '--overwrite'];

    it.each(NO_BACKUPS)('if the file is %s', async (_, make) => {
      const { code, stderr } = await overwrite(await make(folder, file)).result;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/cannot be read as a complete backup|Nothing is restored/),
      });
    });

    it('if PostgreSQL fails at the end of the restore', async () => {
      const url = service.env['DATABASE_URL'] ?? '';
      await query(url, ...FULL_DISK);
      const { code, stderr } = await overwrite(file).result;
      await query(url, ...DISK_WITH_SPACE);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/Nothing is restored; .*\n.*No space left on device/) });
    });

    /** A PATH with a pg_restore that restores a part of the file, and then runs `end`. */
    async function pathWithPart(end: string): Promise<string> {
      const bin = await mkdtemp(join(folder, 'bin-'));
      const part = `PATH=${PATH} pg_restore "$@" | head -c 20000; ${end}`;
      await writeFile(join(bin, 'pg_restore'), `#!/bin/sh\ncase $1 in --file=-) ${part};; *) PATH=${PATH} exec pg_restore "$@";; esac\n`);
      await chmod(join(bin, 'pg_restore'), 0o755);
      return `${bin}:${PATH}`;
    }

    it('if the file can be read once, and then not to its end', async () => {
      const path = await pathWithPart('echo "pg_restore: error: could not read from input file" >&2; exit 1');
      const { code, stderr } = await overwrite(file, path).result;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/Nothing is restored; .*\n.*could not read from input file/),
      });
    });

    it('if the command is killed in the middle', async () => {
      const sessions = (condition: string) =>
        service.database.query(
          `select from pg_stat_activity where datname = current_database() and application_name = 'ugc-restore' ${condition}`,
        );
      // Writes blank lines until nobody reads them any more.
      const { process: command, result } = overwrite(file, await pathWithPart('while echo; do sleep 0.1; done'));
      const hasRemoved = `and pid in (select pid from pg_locks where mode = 'AccessExclusiveLock' and granted)`;
      await until('the restore has removed the tables', async () => (await sessions(hasRemoved)).length > 0);
      command.kill('SIGKILL');
      expect((await result).code).not.toBe(0);
      await until('its session has ended', async () => (await sessions('')).length === 0);
    });
  });

  it('is made nowhere else than under its final name, which must be free', async () => {
    const refused = await command(service.env, 'backup', file);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file} exists already`) });
    const nowhere = await command(service.env, 'backup', join(folder, 'missing/ugc.dump'));
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('The file cannot be written') });
  });
});
