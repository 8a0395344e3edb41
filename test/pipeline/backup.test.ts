import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, truncate, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { createDatabase } from '../support/database/database.ts';
import { postgresToolsPath } from '../support/database/postgres-tools.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf, indexCommand } from '../support/processes/command.ts';
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

  /** Runs the commands that `restore` prints. */
  async function repairAsTold(env: Environment, printed: string): Promise<void> {
    expect(printed).toMatch(/npx pnpm index:adopt:.*\n\d\. npx pnpm index:audit --repair:/);
    expect(failureOf(await indexCommand(env, 'index-adopt'))).toBe('');
    expect(failureOf(await indexCommand(env, 'index-audit', '--repair'))).toBe('');
  }

  it('that is cut off or of something else is refused, and the database stays as it is', async () => {
    const cut = join(folder, 'cut.dump');
    await copyFile(file, cut);
    await truncate(cut, Math.floor((await stat(file)).size * 0.9));
    const before = await storedIds(service);
    const refused = await command(service.env, 'restore', cut, '--as', 'replacement', '--overwrite');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${cut} is not a complete backup of this service`) });
    const other = await command(service.env, 'restore', import.meta.filename, '--as', 'replacement', '--overwrite');
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a complete backup of this service') });
    expect(await storedIds(service)).toEqual(before);
    await rm(cut);
  });

  it('is made nowhere else than under its final name, which must be free', async () => {
    const refused = await command(service.env, 'backup', file);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${file} exists already`) });
    const nowhere = await command(service.env, 'backup', join(folder, 'missing/ugc.dump'));
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('The file cannot be written') });
  });
});
