import type { IndexTarget } from '@ugc/shared/indices/targets';
import { findTarget, retireTargets } from '@ugc/shared/indices/targets';
import type { IndexDeps } from './target-indices.ts';

/** As long as Elasticsearch itself waits for a node that has left. */
const LOST_AFTER_MS = 60_000;

type Deps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'alias' | 'log'>;

/**
 * While an index is filled it has no replicas, so that it loses a shard with its node. Every change would wait for the
 * node, since changes are written to the searched index last.
 * @returns a function that retires the index of a rebuild that has lacked a shard for a minute; it never rejects
 */
export function createLostShardCheck(lostAfterMs = LOST_AFTER_MS): (deps: Deps) => Promise<void> {
  let lost: { indexName: string; sinceMs: number } | undefined;
  return async (deps) => {
    const next = await findLostNext(deps).catch(() => undefined);
    if (lost?.indexName !== next?.indexName) lost = next && { indexName: next.indexName, sinceMs: performance.now() };
    if (!next || !lost || performance.now() - lost.sinceMs < lostAfterMs) return;
    const reason = 'it has lost a shard with its node, because it has no replicas while it is filled; run npx pnpm index:rebuild again';
    await retireTargets(deps.database, [{ indexName: next.indexName, reason }]).catch(() => undefined);
    deps.log.error({ indexName: next.indexName }, 'the index of a rebuild has lost a shard and is no longer written');
  };
}

async function findLostNext(deps: Deps): Promise<IndexTarget | undefined> {
  const next = await findTarget(deps, 'next');
  if (!next || next.retiredReason !== null) return undefined;
  const health = await deps.elasticsearch.cluster.health({ index: next.indexName, timeout: '1s' });
  // A shard that is read from the disk of its node is not lost.
  return health.status === 'red' && health.initializing_shards === 0 ? next : undefined;
}
