import { asyncGauge } from '@ugc/shared/process/async-gauge';
import type { IndexQueue } from '@ugc/shared/contracts/index-queue';
import type { Database } from '@ugc/shared/stores/postgres';
import { cached } from '@ugc/shared/timing/cached';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';

export type BacklogSources = { database: Database; redis: Redis; queue: IndexQueue };
type Backlog = { pending: number; rejected: number; oldest_pending_seconds: number };

/** Counting a million rows took a busy PostgreSQL 0.7 s, so scrapes share an answer. */
const BACKLOG_KEPT_MS = 10_000;

/** What is left to do. Measured by the API, which is there when no indexer is. */
export function measureBacklog(registry: Registry, { database, redis, queue }: BacklogSources): void {
  const gauge = (name: string, help: string, ask: () => Promise<number | undefined>): void =>
    asyncGauge(registry, { name, help, read: ask });

  const backlog = cached(BACKLOG_KEPT_MS, () => readBacklog(database));
  gauge('ugc_outbox_pending_changes', 'Items with changes that are not indexed yet', async () => (await backlog())?.pending);
  gauge('ugc_outbox_rejected_changes', 'Items that Elasticsearch rejected', async () => (await backlog())?.rejected);
  gauge(
    'ugc_outbox_oldest_pending_seconds',
    'Age of the oldest change that is not indexed yet, 0 without one',
    async () => (await backlog())?.oldest_pending_seconds,
  );

  // While Redis is away BullMQ does not fail, it waits.
  const count = async (ask: () => Promise<number>): Promise<number | undefined> => (redis.status === 'ready' ? ask() : undefined);
  gauge('ugc_queue_waiting_jobs', 'Index jobs that wait for an indexer', () => count(() => queue.getWaitingCount()));
  gauge('ugc_queue_active_jobs', 'Index jobs that an indexer runs', () => count(() => queue.getActiveCount()));
}

async function readBacklog(database: Database): Promise<Backlog | undefined> {
  const [backlog] = await database.query<Backlog>(
    `select count(*) filter (where rejected_reason is null) as pending,
       count(*) filter (where rejected_reason is not null) as rejected,
       coalesce(extract(epoch from clock_timestamp() - min(pending_since) filter (where rejected_reason is null)), 0)::float8
         as oldest_pending_seconds
     from index_outbox`,
  );
  return backlog;
}
