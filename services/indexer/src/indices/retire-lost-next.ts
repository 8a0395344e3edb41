import { findTarget, type Retirement } from '@ugc/shared/indices/targets';
import { retireAfter, type RetireDeps } from './retire-after.ts';

/** As long as Elasticsearch itself waits for a node that has left. */
const LOST_AFTER_MS = 60_000;
const REASON = 'it has lost a shard with its node, because it has no replicas while it is filled; run npx pnpm index:rebuild again';
const MESSAGE = 'the index of a rebuild has lost a shard and is no longer written';

/**
 * While an index is filled it has no replicas, so that it loses a shard with its node. Every change would wait for the
 * node, since changes are written to the searched index last.
 * @returns a function that retires the index of a rebuild that has lacked a shard for a minute; it never rejects
 */
export function createLostShardCheck(lostAfterMs = LOST_AFTER_MS): (deps: RetireDeps) => Promise<void> {
  return retireAfter(lostAfterMs, findLostNext, MESSAGE);
}

async function findLostNext(deps: RetireDeps): Promise<Retirement | undefined> {
  const next = await findTarget(deps, 'next');
  if (!next || next.retiredReason !== null) return undefined;
  const health = await deps.elasticsearch.cluster.health({ index: next.indexName, timeout: '1s' });
  // A shard that is read from the disk of its node is not lost.
  const isLost = health.status === 'red' && health.initializing_shards === 0;
  return isLost ? { indexName: next.indexName, reason: REASON } : undefined;
}
