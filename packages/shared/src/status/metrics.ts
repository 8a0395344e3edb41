import { Gauge, type Registry } from 'prom-client';
import type { DifferenceCounts } from '../contracts/operations-status.ts';
import { readComparison } from '../indices/comparison.ts';
import { pausedSince } from '../indices/index-control.ts';
import { readBacklog, type Backlog } from '../outbox/backlog.ts';
import { inspectIndices } from '../ownership/inspect-indices.ts';
import { asyncGauge } from '../process/metrics.ts';
import type { Database } from '../postgres/postgres.ts';
import { cached } from '../timing/intervals.ts';
import { withTimeout } from '../timing/timeouts.ts';
import { readIndexersWanted, type WantedSources } from './indexers-wanted.ts';
import type { IndexSources } from './targets.ts';
import type { QueueSources } from './queue.ts';

export type DeliveryMetricSources = IndexSources &
  QueueSources &
  Omit<WantedSources, 'inspection'> & { backlog: () => Promise<Backlog>; indexProblems: () => Promise<string[]> };

const BACKLOG_KEPT_MS = 10_000;
const INSPECTION_KEPT_MS = 2_000;
const WANTED_KEPT_MS = 1_000;
const PAUSE_KEPT_MS = 1_000;
const COMPARISON_KEPT_MS = 1_000;
const READ_TIMEOUT_MS = 2_000;

/** Scrapes, samples and status pages within 10 s share one query: it reads the whole outbox. */
export function shareBacklog(database: Database): () => Promise<Backlog> {
  return cached(BACKLOG_KEPT_MS, () => readBacklog(database));
}

/** Measured by the API, so that the backlog is known while no indexer is running. */
export function measureOutboxAndQueue(registry: Registry, { backlog, redis, queue }: DeliveryMetricSources): void {
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
  gauge('ugc_queue_waiting_jobs', 'Index jobs that wait for an indexer', () =>
    count(() => queue.getJobCountByTypes('wait', 'prioritized')),
  );
  gauge('ugc_queue_active_jobs', 'Index jobs that an indexer runs', () => count(() => queue.getActiveCount()));
  gauge('ugc_queue_paused', 'Whether the queue is paused in BullMQ, 0 or 1', () => count(async () => Number(await queue.isPaused())));
}

/** Measured by the API, so that they are known while no indexer is running. */
export function measureIndices(registry: Registry, sources: DeliveryMetricSources): void {
  const inspection = cached(INSPECTION_KEPT_MS, () => inspectIndices(sources));
  asyncGauge(registry, {
    name: 'ugc_index_problems',
    help: 'Problems of the indices or the queue that an operator has to solve; npx pnpm index:status names them',
    read: async () => (await sources.indexProblems()).length,
  });
  asyncGauge(registry, {
    name: 'ugc_index_retired_targets',
    help: 'Indices that are no longer written, so that no rollback to them is possible; npx pnpm index:status says why',
    read: async () => (await inspection()).targets.filter(({ retiredReason }) => retiredReason !== null).length,
  });
  measureIndexers(registry, { ...sources, inspection });
  measureComparison(registry, sources.database);
}

function measureIndexers(registry: Registry, sources: WantedSources): void {
  asyncGauge(registry, {
    name: 'ugc_index_paused',
    help: 'Whether an operator has paused indexing, 0 or 1',
    read: cached(PAUSE_KEPT_MS, async () => Number((await pausedSince(sources.database)) !== null)),
  });
  asyncGauge(registry, {
    name: 'ugc_indexers_wanted',
    help: 'How many indexers have work: 0 if there is none, more than 1 by the pending changes; absent without PostgreSQL',
    read: cached(WANTED_KEPT_MS, () => readIndexersWanted(sources)),
  });
}

function measureComparison(registry: Registry, database: Database): void {
  const read = cached(COMPARISON_KEPT_MS, () => readComparison(database));
  asyncGauge(registry, {
    name: 'ugc_index_ahead_items',
    help: 'Items of which the index had a newer state than PostgreSQL, as after a restore, since the last complete comparison',
    read: async () => (await read()).ahead?.items ?? 0,
  });
  asyncGauge(registry, {
    name: 'ugc_index_comparison_completed_timestamp_seconds',
    help: 'Unix time of the end of the last complete comparison of PostgreSQL and the searched index; 0 before it',
    read: async () => Date.parse((await read()).lastRound?.completedAt ?? new Date(0).toISOString()) / 1_000,
  });
  measureDifferences(registry, {
    name: 'ugc_index_comparison_differences',
    help: 'Differences that the last complete comparison of PostgreSQL and the searched index found, by kind',
    read: async () => (await read()).lastRound,
  });
  measureDifferences(registry, {
    name: 'ugc_index_comparison_current_differences',
    help: 'Differences that the present comparison of PostgreSQL and the searched index has found until now, by kind',
    read: async () => (await read()).currentRound,
  });
}

type DifferencesGauge = { name: string; help: string; read: () => Promise<{ differences: DifferenceCounts } | null> };

/** Without such a comparison, or if it cannot be read in time, the scrape omits the gauge. */
function measureDifferences(registry: Registry, { name, help, read }: DifferencesGauge): void {
  new Gauge({
    name,
    help,
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const round = await withTimeout(READ_TIMEOUT_MS, read());
      this.reset();
      for (const [kind, count] of Object.entries(round?.differences ?? {})) this.set({ kind }, count);
    },
  });
}
