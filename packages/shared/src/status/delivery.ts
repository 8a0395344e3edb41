import type { OperationsStatus } from '../contracts/operations-status.ts';
import { readComparison } from '../indices/comparison.ts';
import type { Backlog } from '../outbox/backlog.ts';
import type { Log } from '../process/log.ts';
import { cached, throttle } from '../timing/intervals.ts';
import type { BacklogHistory } from './backlog-history.ts';
import { readTargets, type IndexSources } from './targets.ts';
import { readPause, readRejected, readUnfinished } from './outbox.ts';
import { readQueue, type QueueSources } from './queue.ts';
import { readPart } from './read-part.ts';

export type DeliverySources = IndexSources &
  QueueSources & { log: Log; backlog: () => Promise<Backlog>; history: Pick<BacklogHistory, 'samples'> };

/** What the stores tell about the way of changes from PostgreSQL to the index. */
export type DeliveryStatus = Pick<
  OperationsStatus,
  'indexing' | 'backlog' | 'rejected' | 'unfinished' | 'queue' | 'targets' | 'comparison'
>;

/** Its query reads the whole outbox. */
const UNFINISHED_CACHED_MS = 10_000;
const LOG_EVERY_MS = 10_000;

/** @returns a function that never rejects, and takes at most 2 s; the log has the causes of its problems */
export function createDeliveryReader(sources: DeliverySources): () => Promise<DeliveryStatus> {
  const { database, log } = sources;
  const warn = throttle(LOG_EVERY_MS, (err: unknown) => log.warn({ err }, 'a part of the operations status could not be read'));
  const fromPostgres = <T>(reading: Promise<T>) => readPart('PostgreSQL', reading, warn);
  const unfinished = cached(UNFINISHED_CACHED_MS, () => readUnfinished(sources));
  return async () => {
    const [indexing, now, rejected, old, queue, targets, comparison] = await Promise.all([
      fromPostgres(readPause(database)),
      fromPostgres(readPending(sources)),
      fromPostgres(readRejected(database)),
      fromPostgres(unfinished()),
      readPart('Redis', readQueue(sources), warn),
      readTargets(sources, warn),
      fromPostgres(readComparison(database)),
    ]);
    const backlog = { now, lastHour: [...sources.history.samples] };
    return { indexing, backlog, rejected, unfinished: old, queue, targets, comparison };
  };
}

async function readPending({ backlog }: DeliverySources): Promise<Omit<Backlog, 'rejected'>> {
  const { pending, oldestPendingSeconds } = await backlog();
  return { pending, oldestPendingSeconds };
}
