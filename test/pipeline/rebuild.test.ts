import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { whenUnlocked } from '@ugc/indexer/commands/index-command';
import { maintainIndex } from '@ugc/indexer/maintain-index';
import { cancel, finish, removeUnlisted } from '@ugc/indexer/targets/recover-targets';
import type { LockedDeps } from '@ugc/indexer/targets/target-indices';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { changeTargets, findTarget, setRole } from '@ugc/shared/indices/targets';
import { createLog } from '@ugc/shared/process/log';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { OLDER_VERSION } from '../support/indices/older-index.ts';
import { failureOf, indexCommand, startIndexCommand } from '../support/processes/command.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { ensureIndex, withIndexLock, rebuildIndex, removeOtherIndices, rollBack } from '../support/indices/index-lock.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { long, rows, runs } from '../support/jest/long.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { startService } from '../support/processes/service.ts';
import { until } from '../support/jest/until.ts';

/** Without pauses, the traffic would take the processor time that the rebuild needs. */
const BETWEEN_REQUESTS_MS = 20;

const service = forAllTests(() => startService());
beforeAll(async () => {
  await insertItems(service.database, { count: 1_000 });
  await service.indexed();
});
// Every test starts with a single index.
beforeEach(() => removeOtherIndices(indexDeps(service)));

const searched = async (): Promise<string | undefined> => (await findTarget(service, 'search'))?.indexName;

it('searches never lose an item or show an older revision during rebuilds and rollbacks under traffic', async () => {
  const hot = await insertItems(service.database, { count: 10, prefix: 'hot' });
  await service.indexed();
  const ended = new AbortController();
  const traffic = Promise.all([keepEditing(hot, ended.signal), keepSearching(ended.signal)]);
  // A failed expectation in the traffic also ends the swaps.
  await Promise.race([traffic, swapBackAndForth(ended.signal)]).finally(() => ended.abort());
  const [edits, searches] = await traffic;
  expect(edits).toBeGreaterThan(10);
  expect(searches).toBeGreaterThan(10);
  await removeOtherIndices(indexDeps(service));
  await expectNothingLost(service);
});

async function swapBackAndForth(signal: AbortSignal): Promise<void> {
  const deps = indexDeps(service, signal);
  for (let round = 0; round < runs(1, 2); round++) {
    const before = await searched();
    await rebuildIndex(deps);
    const after = await searched();
    expect(after).not.toBe(before);
    await rollBack(deps);
    expect(await searched()).toBe(before);
    await rollBack(deps);
    expect(await searched()).toBe(after);
  }
}

async function keepEditing(ids: number[], signal: AbortSignal): Promise<number> {
  let edits = 0;
  while (!signal.aborted) {
    const id = ids[edits % ids.length];
    edits += 1;
    await delay(BETWEEN_REQUESTS_MS);
    const { status } = await service.client.send('PATCH', `/api/content/${id}`, { name: `hot ${edits}` });
    expect(status).toBe(200);
  }
  return edits;
}

/** Each search must show every item at the revision of the search before it, or a later one. */
async function keepSearching(signal: AbortSignal): Promise<number> {
  const seen = new Map<number, number>();
  let searches = 0;
  while (!signal.aborted) {
    const { status, body } = await service.client.list({ prompt: 'hot', size: 50 });
    expect(status).toBe(200);
    const edits = new Map(body.content.map((item) => [item.contentId, Number(item.name.split(' ')[1])]));
    for (const [id, edit] of seen) expect(edits.get(id)).toBeGreaterThanOrEqual(edit);
    for (const [id, edit] of edits) seen.set(id, edit);
    searches += 1;
    await delay(BETWEEN_REQUESTS_MS);
  }
  expect(seen.size).toBe(10);
  return searches;
}

async function stopRebuild(shouldStop = (_phase: string, _done: number) => true): Promise<void> {
  const stop = new AbortController();
  const stopped = rebuildIndex(indexDeps(service, stop.signal), (phase, done) => void (shouldStop(phase, done) && stop.abort()));
  await expect(stopped).rejects.toThrow();
}

it('a rebuild that was stopped continues where it stopped', async () => {
  await stopRebuild((_phase, done) => done > 300);
  const steps: number[] = [];
  await rebuildIndex(indexDeps(service), (phase, done) => void (phase === 'Filling' && steps.push(done)));
  expect(steps[0]).toBeGreaterThan(300);
  await expectNothingLost(service);
});

it('a rebuild stops when indexing is paused, and can be continued after index:resume', async () => {
  const pausing: Promise<void>[] = [];
  const paused = rebuildIndex(indexDeps(service), () => void pausing.push(pauseIndexing(service.database)));
  await expect(paused).rejects.toThrow('indexing was paused');
  await Promise.all(pausing);
  const next = (await findTarget(service, 'next'))?.indexName;
  expect(await indexCommand(service.env, 'index-rebuild')).toMatchObject({ code: 1, stderr: expect.stringContaining('index:resume') });
  await resumeIndexing(service.database);
  await rebuildIndex(indexDeps(service));
  expect(await searched()).toBe(next);
  await expectNothingLost(service);
});

async function losePrevious(): Promise<void> {
  await service.elasticsearch.indices.delete({ index: (await findTarget(service, 'previous'))?.indexName ?? '' });
}

/** Elasticsearch does not respond to one kind of requests. */
function withoutResponse(request: 'updateAliases' | 'delete'): LockedDeps {
  const deps = indexDeps(service);
  const indices = Object.create(deps.elasticsearch.indices, { [request]: { value: () => Promise.reject(new Error('no response')) } });
  return { ...deps, elasticsearch: Object.create(deps.elasticsearch, { indices: { value: indices } }) };
}

long.it('a rebuild that fails to swap keeps the previous index', async () => {
  await rebuildIndex(indexDeps(service));
  const previous = (await findTarget(service, 'previous'))?.indexName ?? '';
  await expect(rebuildIndex(withoutResponse('updateAliases'))).rejects.toThrow('no response');
  expect((await findTarget(service, 'previous'))?.indexName).toBe(previous);
  await rebuildIndex(indexDeps(service));
  expect(await service.elasticsearch.indices.exists({ index: previous })).toBe(false);
});

it('a rebuild has succeeded after the swap, also if an index that is no longer needed cannot be removed', async () => {
  await rebuildIndex(indexDeps(service));
  const before = await searched();
  await rebuildIndex(withoutResponse('delete'));
  expect(await searched()).not.toBe(before);
  expect(await service.client.list()).toMatchObject({ status: 200 });
});

it('a rebuild that was stopped can be cancelled', async () => {
  await stopRebuild();
  const next = (await findTarget(service, 'next'))?.indexName ?? '';
  expect(failureOf(await indexCommand(service.env, 'index-rebuild', '--cancel'))).toBe('');
  expect(await service.elasticsearch.indices.exists({ index: next })).toBe(false);
  expect(await indexCommand(service.env, 'index-rebuild', '--cancel')).toMatchObject({ code: 1 });
});

const SIGNALS: [NodeJS.Signals, number][] = [
  ['SIGKILL', -1],
  ['SIGINT', 130],
  ['SIGTERM', 130],
];

it.each(rows(2, SIGNALS))('index:rebuild can be ended by %s and run again', async (signal, code) => {
  const before = await searched();
  await stopRebuild();
  const { process: command, result } = startIndexCommand(service.env, 'index-rebuild');
  await service.database.transaction(async (tx) => {
    // Blocks the command in the fill: it cannot save its progress.
    await tx.query(`select from index_target where role = 'next' for update`);
    let output = '';
    command.stderr?.on('data', (text: string) => (output += text));
    await until('the fill has started', () => output.includes('Filling'));
    command.kill(signal);
  });
  expect(await result).toMatchObject({ code });
  expect(await searched()).toBe(before);
  // The lock of a killed process expires after some seconds.
  await service.database.query('delete from index_lock where holder = $1', [`${hostname()}:${command.pid}`]);
  expect(failureOf(await indexCommand(service.env, 'index-rebuild'))).toBe('');
  expect(await searched()).not.toBe(before);
  await expectNothingLost(service);
});

long.it('index:rebuild exits with code 75 while another process holds the index lock', async () => {
  const before = await searched();
  await withIndexLock(service.database, async () => {
    const env = { ...service.env, STORE_TIMEOUT_FACTOR: '1' };
    expect(await indexCommand(env, 'index-rebuild')).toMatchObject({ code: 75, stderr: expect.stringContaining('try again') });
  });
  expect(await searched()).toBe(before);
});

it('index:rebuild rebuilds, rolls back and removes the previous index', async () => {
  const before = await searched();
  const rebuilt = await indexCommand(service.env, 'index-rebuild', '--json');
  const after = await searched();
  expect(rebuilt).toMatchObject({ code: 0, json: [{ searched: after, previous: before }] });
  expect(rebuilt.stderr).toMatch(/Filling 1,\d{3}\/1,\d{3}\n.*Comparing 1,\d{3}\/1,\d{3}\n/s);
  expect(await indexCommand(service.env, 'index-rebuild', '--rollback', '--json')).toMatchObject({
    code: 0,
    json: [{ searched: before, previous: after }],
  });
  expect(await indexCommand(service.env, 'index-rebuild', '--finish', '--json')).toMatchObject({
    code: 0,
    json: [{ searched: before, previous: null }],
  });
  expect(await service.elasticsearch.indices.exists({ index: after ?? '' })).toBe(false);
  expect(await indexCommand(service.env, 'index-rebuild', '--rollback')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no previous index'),
  });
  expect(await indexCommand(service.env, 'index-rebuild', '--rollback', '--finish')).toMatchObject({ code: 2 });
});

it('a command that needs the index lock waits some seconds for it', async () => {
  let attempts = 0;
  const isDone = await whenUnlocked({ signal: new AbortController().signal }, () => {
    attempts += 1;
    passTime(100_000);
    return Promise.resolve(false);
  });
  expect([isDone, attempts]).toEqual([false, 2]);
});

describe('after Ctrl-C, no index is removed', () => {
  const isThere = (index: string): Promise<boolean> => service.elasticsearch.indices.exists({ index });

  it('by index:rebuild --finish that has waited for the index lock', async () => {
    const previous = (await searched()) ?? '';
    await rebuildIndex(indexDeps(service));
    const { process: command, result } = startIndexCommand(service.env, 'index-rebuild', '--finish');
    await withIndexLock(service.database, async () => {
      let output = '';
      command.stderr?.on('data', (text: string) => (output += text));
      await until('the command waits', () => output.includes('Waiting for another process'));
      command.kill('SIGINT');
    });
    expect(await result).toMatchObject({ code: 130, stderr: expect.stringContaining('Stopped') });
    expect(await isThere(previous)).toBe(true);
  });

  it('by --finish, --cancel and --remove that have got the index lock', async () => {
    const previous = (await searched()) ?? '';
    await rebuildIndex(indexDeps(service));
    const unlisted = `${service.alias}-v1-20200101000000000`;
    await service.elasticsearch.indices.create({ index: unlisted });
    const deps = { ...indexDeps(service), signal: AbortSignal.abort() };
    await withIndexLock(service.database, async (lock) => {
      await expect(finish({ ...deps, lock })).rejects.toThrow('aborted');
      await expect(removeUnlisted({ ...deps, lock }, unlisted)).rejects.toThrow('aborted');
      await changeTargets(service.database, lock, (tx) => setRole(tx, previous, 'next'));
      await expect(cancel({ ...deps, lock })).rejects.toThrow('aborted');
    });
    expect([await isThere(previous), await isThere(unlisted)]).toEqual([true, true]);
    await service.elasticsearch.indices.delete({ index: unlisted });
  });
});

describe('a rollback of an index', () => {
  const claim = (id: number, claims: number) =>
    service.database.query(
      `insert into index_outbox (content_id, revision, job_id, claimed_at, due_at, claims)
       values ($1, 1, gen_random_uuid(), now() + interval '1 h', 'infinity', $2)`,
      [id, claims],
    );
  const release = (id: number) =>
    service.database.query(`update index_outbox set job_id = null, claimed_at = null, due_at = now() where content_id = $1`, [id]);

  it('waits for every change that was pending at its start, which the previous index may lack', async () => {
    await rebuildIndex(indexDeps(service));
    const search = (await searched()) ?? '';
    const [id = 0] = await insertItems(service.database, { count: 1, prefix: 'not rolled back', pending: false });
    await service.elasticsearch.index({ index: search, id: String(id), version: 1, version_type: 'external', document: { contentId: id } });
    await claim(id, 0);
    const phases = new Set<string>();
    await rollBack(indexDeps(service), (phase) => {
      if (!phases.has(phase) && phase.startsWith('Waiting')) void release(id);
      phases.add(phase);
    });
    expect(phases).toContain('Waiting for pending changes');
    await service.elasticsearch.indices.refresh({ index: (await searched()) ?? '' });
    expect(await service.client.search('"not rolled back"')).toHaveLength(1);
    await service.indexed();
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['indexing is paused', 'indexing is paused', () => pauseIndexing(service.database)],
    ['an index is lost', 'the indices have changed', losePrevious],
  ])('does not wait for changes that no job can write, because %s', async (_, message, hinder) => {
    await rebuildIndex(indexDeps(service));
    const [id = 0] = await insertItems(service.database, { count: 1, pending: false });
    await claim(id, 0);
    let hindering: Promise<unknown> | undefined;
    const rolledBack = rollBack(indexDeps(service), (phase) => {
      if (phase.startsWith('Waiting')) hindering ??= hinder();
    });
    await expect(rolledBack).rejects.toThrow(message);
    await hindering;
    await resumeIndexing(service.database);
    await release(id);
    await service.indexed();
  });

  long.it('does not wait for an item that repeatedly crashes indexers', async () => {
    await rebuildIndex(indexDeps(service));
    const previous = (await findTarget(service, 'previous'))?.indexName;
    const [id = 0] = await insertItems(service.database, { count: 1, pending: false });
    await claim(id, 4);
    await rollBack(indexDeps(service, AbortSignal.timeout(120_000)));
    expect(await searched()).toBe(previous);
    await release(id);
    await service.indexed();
  });
});

it('the swap to a new index that is incomplete fails and names what it lacks', async () => {
  const before = await searched();
  await stopRebuild((phase) => phase === 'Comparing');
  const next = (await findTarget(service, 'next'))?.indexName ?? '';
  const [row] = await service.database.query<{ contentId: number; revision: number }>(
    'select content_id, revision from content where deleted_at is null order by content_id limit 1',
  );
  const { contentId = 0, revision = 0 } = row ?? {};
  await service.elasticsearch.delete({ index: next, id: String(contentId), version: revision, version_type: 'external_gte' });
  await expect(rebuildIndex(indexDeps(service))).rejects.toThrow(`item ${contentId} is missing`);
  expect(await searched()).toBe(before);
});

describe('during the deployment of a new mapping', () => {
  it('the indexer logs a warning that names the command to run', async () => {
    const setVersion = (version: number) =>
      service.database.query(`update index_target set mapping_version = $1 where role = 'search'`, [version]);
    const lines: string[] = [];
    const log = createLog('test', 'warn', { write: (line) => void lines.push(line) });
    await setVersion(OLDER_VERSION);
    const maintenance = maintainIndex({ ...indexDeps(service), log });
    await until('the warning is logged', () => lines.some((line) => line.includes('npx pnpm index:rebuild')));
    await maintenance.stop();
    await setVersion(MAPPING_VERSION);
  });

  it('an index accepts a document with a field that its mapping does not have', async () => {
    const id = await service.client.upload({ name: 'of the future' });
    await service.indexed();
    const document = { contentId: id, name: 'of the future', fieldOfTheFuture: 1, deleted: false };
    const request = { index: (await searched()) ?? '', id: String(id), version: 2, version_type: 'external_gte' as const, document };
    expect((await service.elasticsearch.index(request)).result).toBe('updated');
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
  });
});

it('a lost index is removed from the targets, so that changes do not wait for it', async () => {
  await rebuildIndex(indexDeps(service));
  await losePrevious();
  await service.client.upload({ name: 'after the loss' });
  await service.indexed();
  await until('the target is removed', async () => (await findTarget(service, 'previous')) === undefined);
  await ensureIndex(indexDeps(service));
});
