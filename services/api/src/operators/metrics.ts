import type { DifferenceCounts } from '@ugc/shared/contracts/operations-status';
import type { IndexQueue } from '@ugc/shared/contracts/index-queue';
import { readComparison } from '@ugc/shared/indices/comparison';
import { readBacklog, type Backlog } from '@ugc/shared/outbox/backlog';
import { cached } from '@ugc/shared/timing/cached';
import { withTimeout } from '@ugc/shared/timing/with-timeout';
import type { Redis } from 'ioredis';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Database } from '@ugc/shared/stores/postgres';
import { asyncGauge } from '@ugc/shared/process/async-gauge';
import { measurePostgresPool } from '@ugc/shared/stores/postgres-metrics';
import { countElasticsearchErrors } from '@ugc/shared/stores/elasticsearch-metrics';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { createRelayMetrics } from '../indexing/relay.ts';
import type { Readiness } from './readiness.ts';

type BacklogSources = { backlog: () => Promise<Backlog>; redis: Redis; queue: IndexQueue };
export type ApiMetrics = ReturnType<typeof createMetrics>;
type MetricSources = BacklogSources & {
  database: Database;
  elasticsearch: Elasticsearch;
  readiness: () => Promise<Readiness>;
  indexProblems: () => Promise<string[]>;
};

const BACKLOG_KEPT_MS = 10_000;
const COMPARISON_KEPT_MS = 1_000;
const READ_TIMEOUT_MS = 2_000;

/** Scrapes, samples and status pages within 10 s share one query: it reads the whole outbox. */
export function shareBacklog(database: Database): () => Promise<Backlog> {
  return cached(BACKLOG_KEPT_MS, () => readBacklog(database));
}

export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestDuration = new Histogram({
    name: 'ugc_http_request_duration_seconds',
    help: 'Duration of HTTP requests, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
    registers: [registry],
  });
  const connectionsDropped = new Counter({
    name: 'ugc_http_connections_dropped_total',
    help: 'Connections dropped because CONNECTIONS_MAX was reached',
    registers: [registry],
  });
  const relay = createRelayMetrics(registry);
  // The pool is measured first, because the backlog and readiness queries use connections themselves.
  measurePostgresPool(registry, sources.database);
  measureBacklog(registry, sources);
  measureStores(registry, sources.readiness);
  asyncGauge(registry, {
    name: 'ugc_index_problems',
    help: 'Problems of the indices or the queue that an operator has to solve; npx pnpm index:status names them',
    read: async () => (await sources.indexProblems()).length,
  });
  measureComparison(registry, sources);
  countElasticsearchErrors(registry, sources.elasticsearch);
  return { registry, requestDuration, connectionsDropped, relay };
}

function measureStores(registry: Registry, readiness: () => Promise<Readiness>): void {
  const gauge = (name: string, help: string, test: (stores: Readiness['stores']) => boolean | undefined): void =>
    asyncGauge(registry, { name, help, read: async () => toNumber(test((await readiness()).stores)) });
  gauge('ugc_postgres_up', 'Whether the API can query PostgreSQL, 0 or 1', ({ postgres }) => postgres !== 'down');
  gauge(
    'ugc_schema_up_to_date',
    'Whether the schema of PostgreSQL has every migration of this release, 0 or 1',
    ({ postgres }) => postgres !== 'outdated',
  );
  gauge('ugc_redis_up', 'Whether Redis does what the service needs, 0 or 1', ({ redis }) => !isUnusable(redis));
  gauge(
    'ugc_redis_eviction_policy_ok',
    'Whether the maxmemory-policy of Redis is noeviction, 0 or 1; absent if it is unknown',
    ({ redis }) => (redis === 'eviction_unknown' ? undefined : redis !== 'evicts'),
  );
  gauge('ugc_elasticsearch_up', 'Whether the index can be searched, 0 or 1', ({ elasticsearch }) => elasticsearch === 'up');
}

function isUnusable(redis: Readiness['stores']['redis']): boolean {
  return redis === 'down' || redis === 'refuses';
}

function toNumber(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** Measured by the API, so that the backlog is known while no indexer is running. */
function measureBacklog(registry: Registry, { backlog, redis, queue }: BacklogSources): void {
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

/** Measured by the API, so that it is known while no indexer is running. */
function measureComparison(registry: Registry, { database }: { database: Database }): void {
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
