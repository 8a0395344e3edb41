import { retireTargets, type Retirement, findTarget } from '@ugc/shared/indices/targets';
import type { IndexDeps } from './target-indices.ts';
import { probeWrite } from '@ugc/shared/indices/write-probe';

type RetireDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'alias' | 'log'>;
type Find = (deps: RetireDeps) => Promise<Retirement | undefined>;

const LONGEST_GAP_MS = 60_000;

/**
 * @param find returns an index that holds up all changes, and why
 * @param message the log line of its retirement
 * @returns a function that retires an index which `find` has returned at every call for so long; it never rejects. A call
 * that follows the one before it late begins anew.
 */
function retireAfter(lastedMs: number, find: Find, message: string): (deps: RetireDeps) => Promise<void> {
  let seen: { indexName?: string | undefined; sinceMs: number; atMs: number } = { sinceMs: 0, atMs: -Infinity };
  return async (deps) => {
    const found = await find(deps).catch(() => undefined);
    const nowMs = performance.now();
    const goesOn = seen.indexName === found?.indexName && nowMs - seen.atMs < LONGEST_GAP_MS;
    seen = { indexName: found?.indexName, sinceMs: goesOn ? seen.sinceMs : nowMs, atMs: nowMs };
    if (!found || nowMs - seen.sinceMs < lastedMs) return;
    await retireTargets(deps.database, [found]).then(
      () => deps.log.error({ ...found }, message),
      () => undefined,
    );
  };
}

/** As long as Elasticsearch itself waits for a node that has left. */
const LOST_AFTER_MS = 60_000;
const LOST_REASON = 'it has lost a shard with its node, because it has no replicas while it is filled; run npx pnpm index:rebuild again';
const LOST_MESSAGE = 'the index of a rebuild has lost a shard and is no longer written';

/**
 * While an index is filled it has no replicas, so that it loses a shard with its node. Every change would wait for the
 * node, since changes are written to the searched index last.
 * @returns a function that retires the index of a rebuild that has lacked a shard for a minute; it never rejects
 */
export function createLostShardCheck(lostAfterMs = LOST_AFTER_MS): (deps: RetireDeps) => Promise<void> {
  return retireAfter(lostAfterMs, findLostNext, LOST_MESSAGE);
}

async function findLostNext(deps: RetireDeps): Promise<Retirement | undefined> {
  const next = await findTarget(deps, 'next');
  if (!next || next.retiredReason !== null) return undefined;
  const health = await deps.elasticsearch.cluster.health({ index: next.indexName, timeout: '1s' });
  // A shard that is read from the disk of its node is not lost.
  const isLost = health.status === 'red' && health.initializing_shards === 0;
  return isLost ? { indexName: next.indexName, reason: LOST_REASON } : undefined;
}

const REFUSED_AFTER_MS = 180_000;
const REFUSING_MESSAGE = 'the previous index is no longer written, so that a rollback to it is not possible any more';

/**
 * Every change waits until the previous index has taken it, since changes are written to the searched index last. An
 * offer to roll back must not stop the indexing.
 * @returns a function that retires a previous index that has refused all changes for three minutes while the searched
 * index accepts them; it never rejects
 */
export function createRefusalCheck(refusedAfterMs = REFUSED_AFTER_MS): (deps: RetireDeps) => Promise<void> {
  return retireAfter(refusedAfterMs, findRefusing, REFUSING_MESSAGE);
}

async function findRefusing(deps: RetireDeps): Promise<Retirement | undefined> {
  const previous = await findTarget(deps, 'previous');
  if (!previous || previous.retiredReason !== null) return undefined;
  const refusal = await probeWrite(deps.elasticsearch, previous.indexName);
  const search = refusal && (await findTarget(deps, 'search'));
  if (!search || (await probeWrite(deps.elasticsearch, search.indexName))) return undefined;
  return { indexName: previous.indexName, reason: `it refused changes that the searched index accepts: ${refusal.reason}` };
}
