import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startOwnServers, type Servers } from '../support/cluster/cluster-servers.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { createDatabase, TEMPLATE_DATABASE, uniqueName } from '../support/database/database.ts';
import { postgresToolsPath } from '../support/database/postgres-tools.ts';
import { until } from '../support/jest/until.ts';
import { manifest } from '../support/kubernetes/manifests.ts';
import { apiCommand, failureOf, indexCommand, startApiCommand } from '../support/processes/command.ts';
import { commandsIn, documentedCommands } from '../support/processes/documented-commands.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { startHalfService, startService, untilIndexed, type Service } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

const PATH = await postgresToolsPath();
const title = PATH ? 'a backup' : 'a backup (skipped: no pg_dump 18 on PATH, and none could be downloaded with pip)';

type Restored = { as: string; database: string; missingMigrations: string[]; unscheduled: number; nextSteps: string[] };

const command = (env: Environment, name: string, ...args: string[]) => apiCommand({ ...env, PATH: PATH ?? '' }, name, ...args);

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

const CLEAN = { code: 0, missing: 0, stale: 0, ahead: 0, orphaned: 0, dropped: 0, withheld: 0, repairing: false };

/** Runs the commands that `restore` prints. */
async function repairAsTold(env: Environment, printed: string): Promise<void> {
  expect(printed).toMatch(/npx pnpm index:adopt:[^]*npx pnpm users erase ID…[^]*npx pnpm index:audit --repair:/);
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

/** Items with a time of before the backup, which no process has published, beside one that is due later and one in review. */
const storeScheduled = (url: string) =>
  query(
    url,
    `insert into users (user_id, username, credential) overriding system value values (1, 'scheduler', 'test|scheduler') on conflict do nothing`,
    `with kinds (name, kind, publish_at, key) as (values
       ('draft', 'draft', now() - interval '1 s', null), ('unlisted', 'unlisted', now() - interval '1 h', repeat('k', 16)),
       ('later', 'draft', now() + interval '1 day', null), ('review', 'review', now() - interval '1 h', null)
     ), items as (
       insert into content (creator_id, name, description, data, version, deleted_at)
       select 1, name, '', '', 1, 'infinity'::timestamptz from kinds returning content_id, name
     )
     insert into unpublished_content (content_id, creator_id, kind, publish_at, may_publish, access_key)
     select content_id, 1, kind, publish_at, true, key from kinds join items using (name)`,
  );
const readScheduled = async (url: string) => {
  const rows = await query(url, 'select name, publish_at from content join unpublished_content using (content_id)');
  return Object.fromEntries(rows.map((row) => [row['name'], row['publish_at'] !== null]));
};
const UNSCHEDULED = { draft: false, unlisted: false, later: true, review: true };

/** Writes a complete file of pg_dump. */
async function dump(file: string, url: string): Promise<string> {
  await promisify(execFile)('pg_dump', ['--format=custom', `--file=${file}`, url], { env: { PATH } });
  return file;
}

async function cutFrom(file: string, bytes: (size: number) => number): Promise<string> {
  const cut = `${file}.cut-${uniqueName()}`;
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
      const url = await createDatabase();
      await query(url, 'create table content (id serial primary key, body text)', `insert into content (body) values ('foreign')`);
      return dump(join(folder, 'other.dump'), url);
    },
  ],
  [
    'a backup of this service in a schema that is not used here',
    async (folder) => {
      const url = await createDatabase(uniqueName(), TEMPLATE_DATABASE);
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
    const env = { ...(await createEnvironment()), DATABASE_URL: await createDatabase() };
    const result = await command(env, 'restore', file, '--as', 'copy', '--json');
    expect(failureOf(result)).toBe('');
    const { missingMigrations, nextSteps } = result.json[0] as Restored;
    expect(missingMigrations).toEqual([]);
    expect(nextSteps[0]).toContain('CONTENT_ALIAS and QUEUE_PREFIX');
    expect(nextSteps.at(-1)).toContain('npx pnpm users erase');
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
    const env = { ...former.env, DATABASE_URL: await createDatabase() };
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

  it('restored by something else, is settled without FILE: no former generation counts, and a pause is named', async () => {
    const env = await createEnvironment();
    const url = env['DATABASE_URL'] ?? '';
    await query(url, 'update index_control set paused_at = clock_timestamp()');
    const read = async () => (await query(url, 'select generation::bigint as generation, database_id from index_control'))[0];
    const before = await read();
    const settle = async (as: string) => {
      const result = await command(env, 'restore', '--as', as, '--json');
      expect(failureOf(result)).toBe('');
      expect((result.json[0] as Restored).nextSteps.join('\n')).toMatch(/npx pnpm index:resume: indexing is paused since[^]*Start the API/);
      return read();
    };
    const replacement = await settle('replacement');
    expect(Number(replacement?.['generation'])).toBeGreaterThan(1_700_000_000);
    expect(replacement?.['database_id']).toEqual(before?.['database_id']);
    const copy = await settle('copy');
    expect(Number(copy?.['generation'])).toBeGreaterThan(Number(replacement?.['generation']));
    expect(copy?.['database_id']).not.toEqual(before?.['database_id']);
  });

  it('publishes no item whose time has passed: since the backup, its creator may have decided otherwise', async () => {
    const former = await createEnvironment();
    await storeScheduled(former['DATABASE_URL'] ?? '');
    const own = join(folder, 'scheduled.dump');
    expect(failureOf(await command(former, 'backup', own))).toBe('');
    const [replacement, copy] = [await createDatabase(), await createDatabase()];
    for (const [as, url] of Object.entries({ replacement, copy })) {
      const { json } = await command({ ...former, DATABASE_URL: url }, 'restore', own, '--as', as, '--json');
      expect((json[0] as Restored).unscheduled).toBe(2);
      expect(await readScheduled(url)).toEqual(UNSCHEDULED);
    }
    // As a snapshot of a provider.
    expect(await command(former, 'restore', '--as', 'replacement')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 items that were to be published by now stay unpublished'),
    });
    expect(await readScheduled(former['DATABASE_URL'] ?? '')).toEqual(UNSCHEDULED);
    const restored = await startHalfService({ ...(await createEnvironment()), DATABASE_URL: copy });
    try {
      await query(copy, `update unpublished_content set publish_at = now() where kind = 'draft' and publish_at is not null`);
      await until('the API has published what is due', async () => (await storedIds(restored)).length === 1);
      expect(await readScheduled(copy)).toEqual({ draft: false, unlisted: false, review: true });
    } finally {
      await restored.stop();
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
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/No space left on device[^]*Nothing is restored/) });
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
        stderr: expect.stringMatching(/could not read from input file[^]*Nothing is restored/),
      });
    });

    it('if the command is killed in the middle', async () => {
      const sessions = (condition: string) =>
        service.database.query(
          `select from pg_stat_activity where datname = current_database() and application_name = 'ugc-psql' ${condition}`,
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
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no such file or directory') });
  });
});

const DOCUMENT = 'docs/recovery.md';

(PATH ? describe : describe.skip)(`the documented commands of ${title}`, () => {
  const [here = ''] = blocksOf('Backup and restore');
  const [backup = '', restore = '', drop = ''] = blocksOf('With Docker Compose');
  let folder: string;
  let servers: Servers;
  let service: Service;
  let run: Awaited<ReturnType<typeof commandsIn>>;
  let isStopped = false;

  beforeAll(async () => {
    folder = await dataFolder('documented-');
    // The databases have the names that they have in the documents.
    servers = await startOwnServers(folder, { postgres: true });
    service = await startService(await createEnvironment({ DATABASE_URL: servers.postgres?.url ?? '' }));
    run = await commandsIn(folder, PATH ?? '');
    await service.client.upload({ name: 'kept' });
    await service.indexed();
  });
  afterAll(async () => {
    await stopService();
    await servers.postgres?.stop();
  });

  function blocksOf(section: string, document = DOCUMENT): string[] {
    return documentedCommands(document)
      .filter(({ heading }) => heading === section)
      .map(({ block }) => block);
  }

  async function stopService(): Promise<void> {
    if (!isStopped) await service.stop();
    isStopped = true;
  }

  const urlOf = (database: string): string => Object.assign(new URL(service.env['DATABASE_URL'] ?? ''), { pathname: `/${database}` }).href;
  const runHere = (block: string, database = 'ugc') => {
    const { hostname, port, username } = new URL(urlOf(database));
    const env = { DATABASE_URL: urlOf(database), PGHOST: hostname, PGPORT: port, PGUSER: username };
    return run(block.replaceAll('/var/backups', folder), { env, onStop: stopService });
  };
  const databases = async (): Promise<unknown[]> =>
    (await query(urlOf('postgres'), `select datname from pg_database where datname like 'ugc%' order by 1`)).map(({ datname }) => datname);

  it('are all that remove or replace stored data', async () => {
    const names = (await readdir(join(CHECKOUT, 'docs'))).filter((name) => name.endsWith('.md'));
    const documents = ['README.md', ...names.map((name) => `docs/${name}`)];
    const changing = /restore|dropdb|\b(drop|alter|truncate|delete from)\b|-X ?DELETE|volume|rm -r|down -v/i;
    const found = documents.flatMap(documentedCommands).map(({ block }) => block);
    const onKubernetes = blocksOf('On Kubernetes').filter((block) => changing.test(block));
    // pipeline/upgraded-checkout runs it.
    const toTheCopy = blocksOf('A checkout', 'docs/upgrading.md').filter((block) => changing.test(block));
    expect(toTheCopy).toHaveLength(1);
    expect(found.filter((block) => changing.test(block))).toEqual([here, backup, restore, drop, ...onKubernetes, ...toTheCopy]);
  });

  it('with npx pnpm make a backup, and restore it as a replacement and as a copy', async () => {
    const [makeBackup = '', replace = '', copy = ''] = here.split('\n');
    expect(failureOf(await runHere(makeBackup))).toBe('');
    await query(urlOf('postgres'), 'create database ugc_elsewhere');
    expect(failureOf(await runHere(replace, 'ugc_elsewhere'))).toBe('');
    const identity = () => query(urlOf('ugc_elsewhere'), 'select database_id from index_control');
    const replacement = await identity();
    expect(replacement).toEqual(await query(urlOf('ugc'), 'select database_id from index_control'));
    expect(failureOf(await runHere(copy, 'ugc_elsewhere'))).toBe('');
    expect(await identity()).not.toEqual(replacement);
    expect(await query(urlOf('ugc_elsewhere'), 'select name from content')).toEqual([{ name: 'kept' }]);
    await query(urlOf('postgres'), 'drop database ugc_elsewhere');
  });

  const runJob = (name: string, database?: string) => {
    const [container] = manifest('CronJob', name).spec.jobTemplate.spec.template.spec.containers as { command: string[] }[];
    return runHere(`set -eu\n${container?.command[2]?.replaceAll('/backups', folder)}`, database);
  };

  it('in the jobs of Kubernetes restore no item to be published at a time that has passed', async () => {
    await query(urlOf('postgres'), 'create database ugc_scheduled');
    expect(failureOf(await apiCommand({ ...service.env, DATABASE_URL: urlOf('ugc_scheduled') }, 'migrate'))).toBe('');
    await storeScheduled(urlOf('ugc_scheduled'));
    for (const name of ['ugc-backup', 'ugc-restore']) expect(failureOf(await runJob(name, 'ugc_scheduled'))).toBe('');
    const restored = String((await databases()).find((name) => String(name).startsWith('ugc_restored_')));
    expect(await readScheduled(urlOf(restored))).toEqual(UNSCHEDULED);
    for (const name of ['ugc_scheduled', restored]) await query(urlOf('postgres'), `drop database ${name}`);
    for (const name of (await readdir(folder)).filter((file) => /^ugc-\d+\.dump$/.test(file))) await rm(join(folder, name));
  });

  it('in the jobs of Kubernetes make a backup, and restore a whole one into a new database, whatever earlier ones are there', async () => {
    const recorded = async () =>
      (await query(urlOf('ugc'), `select made_by from backup order by completed_at`)).map((row) => row['made_by']);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const put = async (name: string, days: number) => {
      await writeFile(join(folder, name), 'x');
      await utimes(join(folder, name), daysAgo(days), daysAgo(days));
    };
    const older = Array.from({ length: 9 }, (_, n) => `ugc-2020010${n + 1}000000.dump`);
    for (const name of older) await put(name, 30);
    await put('ugc-20200101000000.dump.unfinished', 2);
    await put('ugc-20200102000000.dump.unfinished', 0.5);
    expect(await recorded()).toEqual(['npx pnpm backup']);
    expect(failureOf(await runJob('ugc-backup'))).toBe('');
    expect(await recorded()).toEqual(['npx pnpm backup', 'CronJob']);
    const kept = (await readdir(folder)).filter((name) => name.startsWith('ugc-2020'));
    expect(kept.toSorted()).toEqual(['ugc-20200102000000.dump.unfinished', ...older.slice(2)]);
    for (const name of kept) await rm(join(folder, name));
    const [file = '', ...others] = (await readdir(folder)).filter((name) => name.startsWith('ugc-2'));
    expect([file, others]).toEqual([expect.stringMatching(/^ugc-\d{14}\.dump$/), []]);
    const [whole, half] = [join(folder, file), join(folder, 'ugc-99999999999999.dump')];
    await copyFile(whole, half);
    await truncate(half, Math.floor((await stat(whole)).size / 2));
    expect((await runJob('ugc-restore')).code).not.toBe(0);
    expect(await databases()).toEqual(['ugc']);
    await rm(half);
    await query(urlOf('postgres'), 'create database ugc_restored');
    const { code, stdout } = await runJob('ugc-restore');
    const [, restored = ''] = new RegExp(`${file} \\| (ugc_restored_\\d{14}) \\| +1\\b`).exec(stdout) ?? [];
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(` ${restored} `) });
    expect(await query(urlOf(restored), 'select name from content')).toEqual([{ name: 'kept' }]);
    for (const name of ['ugc_restored', restored]) await query(urlOf('postgres'), `drop database ${name}`);
    await rm(whole);
  });

  it('with Docker Compose make a backup that only its owner can read, without the hashes of users', async () => {
    expect(failureOf(await runHere(backup))).toBe('');
    expect(await query(urlOf('ugc'), `select 1 from backup where made_by = 'pg_dump'`)).toHaveLength(1);
    expect((await readdir(folder)).filter((name) => name.startsWith('ugc.dump.'))).toEqual([]);
    expect((await stat(join(folder, 'ugc.dump'))).mode & 0o777).toBe(0o600);
    const { stdout } = await runHere('pg_restore --list ugc.dump');
    expect(stdout).toMatch(/ TABLE DATA public search_insight /);
    expect(stdout).not.toMatch(/ TABLE DATA public search_insight_user /);
  });

  it('leave the last backup alone if another one fails', async () => {
    const before = await readFile(join(folder, 'ugc.dump'));
    expect((await runHere(backup.replace('-U ugc', '-U nobody'))).code).not.toBe(0);
    expect(await readFile(join(folder, 'ugc.dump'))).toEqual(before);
  });

  describe('with Docker Compose restore nothing, and the service runs on,', () => {
    afterEach(async () => {
      expect(isStopped).toBe(false);
      expect(await service.client.search('kept')).toEqual(['kept']);
      expect((await databases()).filter((name) => name !== 'ugc_restored')).toEqual(['ugc']);
      await expectNothingLost(service);
    });

    it.each(NO_BACKUPS)('if the file is %s', async (_, make) => {
      const from = await make(folder, join(folder, 'ugc.dump'));
      expect((await runHere(restore.replaceAll('ugc.dump', from))).code).not.toBe(0);
    });

    it('if PostgreSQL fails while it restores', async () => {
      await query(urlOf('template1'), ...FULL_DISK);
      const { code, stderr } = await runHere(restore);
      await query(urlOf('template1'), ...DISK_WITH_SPACE);
      expect({ code, stderr }).toEqual({ code: expect.any(Number), stderr: expect.stringContaining('No space left on device') });
      expect(code).not.toBe(0);
    });
  });

  it('with Docker Compose restore the backup, and keep the former database until it is dropped', async () => {
    await service.client.upload({ name: 'lost by the restore' });
    await service.indexed();
    const result = await runHere(restore);
    expect(failureOf(result)).toBe('');
    expect(isStopped).toBe(true);
    const moved = await startHalfService(service.env);
    try {
      await repairAsTold(service.env, result.stdout);
      await until('lists return 200', async () => (await moved.client.list()).status === 200);
      await expectNothingLost({ ...moved, indexed: () => untilIndexed(moved, service.env) });
      expect(await moved.client.search('kept lost')).toEqual(['kept']);
    } finally {
      await moved.stop();
    }
    const [, former = ''] = (await databases()).map(String);
    expect(former).toMatch(/^ugc_\d{14}$/);
    expect(await query(urlOf(former), 'select name from content order by 1')).toEqual([{ name: 'kept' }, { name: 'lost by the restore' }]);
    const dropped = await runHere(drop.replaceAll(/ugc_\d{14}/g, former));
    expect(failureOf(dropped)).toBe('');
    expect(dropped.stdout).toContain(former);
    expect(await databases()).toEqual(['ugc']);
  });
});
