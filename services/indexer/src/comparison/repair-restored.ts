import { endRepair, noticeHistory, readHistory, type Repair } from '@ugc/shared/indices/index-history';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { refreshIndex } from '@ugc/shared/indices/searched-index';
import { findTarget, listTargetsOf, type IndexTarget } from '@ugc/shared/indices/targets';
import { BULK_BATCH_SIZE, bulkBackpressure, latestPendingSince } from '@ugc/shared/outbox/backlog';
import { readItemStates } from '@ugc/shared/outbox/item-states';
import { isWithheldPending, putWithheldFirst } from '@ugc/shared/outbox/mark-pending';
import { inspectIndices, isHealthy } from '@ugc/shared/ownership/inspect-indices';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { withLock } from '@ugc/shared/postgres/locks';
import { setTimeout as delay } from 'node:timers/promises';
import { compareIndex, idsOfWithheld, reportStrays, type Difference } from './compare.ts';
import { repairItems } from '../conflicts/resolve-conflicts.ts';
import { RebuildError, type IndexDeps } from '../targets/target-indices.ts';

const REPAIR_LOCK = 'restored index';
const POLL_EVERY_MS = 200;
/** The rest of the maintenance goes on between two waits. */
const SETTLE_PER_PASS_MS = 2_000;
const LOOK_EVERY_MS = 2_000;

/**
 * Notices that an index was restored under its name and UUID, and repairs the searched one: first the items that lists must
 * not show, for which they are refused, then all others at full pace.
 * @returns a pass
 */
export function createRestoreCheck(deps: IndexDeps, onProgress: () => void): () => Promise<void> {
  const settling = new Settling();
  return async () => {
    await noticeRestores(deps);
    const search = await findTarget(deps, 'search');
    if (!search?.repair) return;
    await withLock(deps.database, REPAIR_LOCK, (lock) =>
      repairRestored({ ...deps, signal: AbortSignal.any([deps.signal, lock.signal]) }, settling, onProgress),
    );
  };
}

async function noticeRestores(deps: IndexDeps): Promise<void> {
  const { database, elasticsearch, alias, ownership, log } = deps;
  const targets = (await listTargetsOf(deps)).filter(({ uuid, retiredReason }) => uuid !== null && retiredReason === null);
  const states = await readIndexStates(elasticsearch, { names: targets.map(({ indexName }) => indexName) });
  const verdicts = await ownership.judgeRecently(await readIdentity(database), targets);
  for (const target of targets) {
    const { indexName, uuid, role } = target;
    const state = states.get(indexName);
    if (!state || state.closed || state.uuid !== uuid || verdicts.get(indexName)?.verdict !== 'own') continue;
    const present = await readHistory(elasticsearch, indexName, state);
    const isSearched = role === 'search' || state.aliases.includes(alias);
    if (await noticeHistory(database, { target, present, isSearched }))
      log.error(
        { indexName },
        'the index was restored, or has lost writes: lists are refused until hidden and deleted items are out of it',
      );
  }
}

async function repairRestored(deps: IndexDeps, settling: Settling, onProgress: () => void): Promise<void> {
  const phases: Record<Repair, (search: IndexTarget) => Promise<void>> = {
    find: (search) => findWithheld(deps, search, onProgress),
    settle: async (search) => settle(deps, search, await settling.latest(deps.database, search)),
    others: (search) => repairOthers(deps, search, onProgress),
  };
  for (let before: Repair | null = null; ;) {
    const search = await findTarget(deps, 'search');
    if (!search?.repair || search.repair === before) return;
    before = search.repair;
    await phases[before](search);
  }
}

/** What PostgreSQL has deleted, or does not have: a snapshot may be older than the purge. */
async function findWithheld(deps: IndexDeps, search: IndexTarget, onProgress: () => void): Promise<void> {
  let found = 0;
  for await (const batch of differences(deps, search, onProgress)) {
    const items = await readItemStates(
      deps.database,
      batch.map(({ contentId }) => contentId),
    );
    const withheld = new Set(items.filter(({ revision, deleted }) => revision === null || deleted).map(({ contentId }) => contentId));
    const faults = batch.filter(({ contentId }) => withheld.has(contentId));
    await repairItems(deps, faults);
    found += faults.length;
  }
  await putWithheldFirst(deps.database, deps.signal);
  deps.log.warn({ indexName: search.indexName, itemCount: found }, 'hidden and deleted items of the restored index are removed first');
  await endRepair(deps.database, { target: search, ended: 'find', next: 'settle' });
}

/**
 * Bounds the wait: while people go on to delete, some change is always pending. Lists have shown what was deleted after the
 * restore was dealt with, and show it until it is indexed, as ever. Another process that goes on takes a later bound.
 */
class Settling {
  #of = '';
  #latest = '';

  async latest(database: IndexDeps['database'], { indexName, restoredAt }: IndexTarget): Promise<string> {
    const of = JSON.stringify([indexName, restoredAt]);
    if (of !== this.#of) this.#latest = await latestPendingSince(database);
    this.#of = of;
    return this.#latest;
  }
}

async function settle({ database, elasticsearch, log, signal }: IndexDeps, search: IndexTarget, latest: string): Promise<void> {
  const untilMs = performance.now() + SETTLE_PER_PASS_MS;
  while (await isWithheldPending(database, latest)) {
    if (performance.now() > untilMs) return;
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
  // What is acknowledged is searched a refresh later.
  await refreshIndex(elasticsearch, search.indexName);
  await endRepair(database, { target: search, ended: 'settle', next: 'others' });
  log.info({ indexName: search.indexName }, 'no list shows hidden or deleted items; lists are answered, and all other items are repaired');
}

/**
 * PostgreSQL may have been restored, too. What the lost state withheld stays out of the lists until the continuous comparison
 * shows it, or an audit with --repair: so there is time to hide it.
 */
async function repairOthers(deps: IndexDeps, search: IndexTarget, onProgress: () => void): Promise<void> {
  const waitForBacklog = bulkBackpressure(deps.database, { signal: deps.signal, rests: false });
  let found = 0;
  for await (const batch of differences(deps, search, onProgress)) {
    const contentIds = idsOfWithheld(batch);
    if (contentIds.length > 0)
      deps.log.warn(
        { contentIds },
        'these items were deleted, hidden or not published in a state that PostgreSQL has lost; lists show them within a day',
      );
    const faults = batch.filter(({ difference, withheld }) => difference !== 'dropped' && !withheld);
    await waitForBacklog();
    await repairItems(deps, faults);
    found += faults.length;
  }
  await endRepair(deps.database, { target: search, ended: 'others', next: null });
  deps.log.info({ indexName: search.indexName, itemCount: found }, 'the restored index is repaired');
}

/** In batches. @throws RebuildError if the indices need the rest of the maintenance */
async function* differences(deps: IndexDeps, { indexName }: IndexTarget, onProgress: () => void): AsyncGenerator<Difference[]> {
  let lookedAtMs = performance.now();
  let batch: Difference[] = [];
  for await (const difference of compareIndex(deps, indexName, onProgress, reportStrays(deps.log))) {
    batch.push(difference);
    if (batch.length < BULK_BATCH_SIZE) continue;
    yield batch;
    batch = [];
    onProgress();
    if (performance.now() - lookedAtMs < LOOK_EVERY_MS) continue;
    if (!isHealthy(await inspectIndices(deps), deps.alias)) throw new RebuildError(`${indexName} cannot be repaired until it is in order`);
    lookedAtMs = performance.now();
  }
  if (batch.length > 0) yield batch;
}
