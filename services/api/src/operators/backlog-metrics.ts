import type { IndexQueue } from '@ugc/shared/contracts/index-queue';
import { readBacklog, type Backlog } from '@ugc/shared/outbox/backlog';
import { asyncGauge } from '@ugc/shared/process/async-gauge';
import type { Database } from '@ugc/shared/stores/postgres';
import { cached } from '@ugc/shared/timing/cached';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';

export type BacklogSources = { backlog: () => Promise<Backlog>; redis: Redis; queue: IndexQueue };

const BACKLOG_KEPT_MS = 10_000;

/** Scrapes, samples and status pages within 10 s share one query: it reads the whole outbox. */
export function shareBacklog(database: Database): () => Promise<Backlog> {
  return cached(BACKLOG_KEPT_MS, () => readBacklog(database));
}

/** Measured by the API, so that the backlog is known while no indexer is running. */
export function measureBacklog(registry: Registry, { backlog, redis, queue }: BacklogSources): void {
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>): void => asyncGauge(registry, { name, help, read });
  gauge('ugc_outbox_pending_changes', 'Items with changes that are not indexed yet', async () => (await backlog()).pending);
  gauge('ugc_outbox_rejected_changes', 'Items that Elasticsearch rejected', async () => (await backlog()).rejected);
  gauge(
    'ugc_outbox_oldest_pending_seconds',
    'Age of the oldest change that is not indexed yet, 0 without one',
    async () => (await backlog()).oldestPendingSeconds ?? 0,
  );

  // While Redis is down, BullMQ does not fail but waits for the connection.
  const count = async (ask: () => Promise<number>): Promise<number | undefined> => (redis.status === 'ready' ? ask() : undefined);
  gauge('ugc_queue_waiting_jobs', 'Index jobs that wait for an indexer', () => count(() => queue.getWaitingCount()));
  gauge('ugc_queue_active_jobs', 'Index jobs that an indexer runs', () => count(() => queue.getActiveCount()));
  gauge('ugc_queue_paused', 'Whether the queue is paused in BullMQ, 0 or 1', () => count(async () => Number(await queue.isPaused())));
}
