import { asyncGauge, measureVersion, readForScrape } from '@ugc/shared/process/metrics';
import { countElasticsearchErrors } from '@ugc/shared/elasticsearch/error-metrics';
import { measurePostgresPool } from '@ugc/shared/postgres/pool-metrics';
import type { Database } from '@ugc/shared/postgres/postgres';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { createRelayMetrics } from '../indexing/relay.ts';
import { createInsightMetrics } from '../search/insights/search-insights.ts';
import type { Readiness } from './readiness.ts';
import { RequestHistory } from './request-history.ts';
import type { DifferenceCounts } from '@ugc/shared/contracts/operations-status';
import { readRestored } from '@ugc/shared/indices/index-history';
import { readComparison } from '@ugc/shared/indices/comparison';
import { pausedSince } from '@ugc/shared/indices/index-control';
import { readBacklog, type Backlog } from '@ugc/shared/outbox/backlog';
import { inspectIndices, type InspectDeps } from '@ugc/shared/ownership/inspect-indices';
import { readOldTransactions } from '@ugc/shared/postgres/old-transactions';
import { readLastBackup } from '@ugc/shared/status/backup';
import { cached } from '@ugc/shared/timing/intervals';
import { readIndexersWanted, type WantedSources } from './indexers-wanted.ts';
import type { QueueSources } from '@ugc/shared/status/queue';

type MetricSources = InspectDeps &
  QueueSources &
  Pick<WantedSources, 'scaling'> & {
    backlog: () => Promise<Backlog>;
    indexProblems: () => Promise<string[]>;
    readiness: () => Promise<Readiness>;
  };
export type ApiMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureVersion(registry);
  const requestDuration = new Histogram({
    name: 'ugc_http_request_duration_seconds',
    help: 'Duration of HTTP requests, by method, route and status; kind of a 5xx that is no fault, such as rebuild-due',
    labelNames: ['method', 'route', 'status', 'kind'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
    registers: [registry],
  });
  const connectionsDropped = new Counter({
    name: 'ugc_http_connections_dropped_total',
    help: 'Connections dropped because CONNECTIONS_MAX was reached',
    registers: [registry],
  });
  const searchInsights = createInsightMetrics(registry);
  const relay = createRelayMetrics(registry);
  // The pool is measured first, because the backlog and readiness queries use connections themselves.
  measurePostgresPool(registry, sources.database);
  measureOutboxAndQueue(registry, sources);
  measureStores(registry, sources.readiness);
  measureIndices(registry, sources);
  countElasticsearchErrors(registry, sources.elasticsearch);
  return { registry, requestDuration, requests: new RequestHistory(), connectionsDropped, searchInsights, relay };
}

export function measureKeyServer(registry: Registry, keyProblem: () => string | undefined): void {
  new Gauge({
    name: 'ugc_key_server_up',
    help: 'Whether the last fetch of the keys that verify tokens succeeded, 0 or 1; absent without JWT_JWKS_URL',
    registers: [registry],
    collect() {
      this.set(Number(keyProblem() === undefined));
    },
  });
}

function measureStores(registry: Registry, readiness: () => Promise<Readiness>): void {
  const gauge = (name: string, help: string, test: (stores: Readiness['stores']) => boolean): void =>
    asyncGauge(registry, { name, help, read: async () => Number(test((await readiness()).stores)) });
  gauge('ugc_postgres_up', 'Whether the API can query PostgreSQL, 0 or 1', ({ postgres }) => postgres !== 'down');
  asyncGauge(registry, {
    name: 'ugc_postgres_stores_changes',
    help: 'Whether PostgreSQL stores changes, by a probe and the last change of the process, 0 or 1; absent while it is down',
    read: async () => {
      const { postgres } = (await readiness()).stores;
      return ['down', 'outdated'].includes(postgres) ? undefined : Number(postgres === 'up');
    },
  });
  gauge(
    'ugc_schema_up_to_date',
    'Whether the schema of PostgreSQL has every migration of this release, 0 or 1',
    ({ postgres }) => postgres !== 'outdated',
  );
  gauge('ugc_redis_up', 'Whether Redis does what the service needs, 0 or 1', ({ redis }) => redis !== 'down' && redis !== 'refuses');
  asyncGauge(registry, {
    name: 'ugc_redis_eviction_policy_ok',
    help: 'Whether the maxmemory-policy of Redis is noeviction, 0 or 1; absent if it is unknown',
    read: async () => {
      const { redis } = (await readiness()).stores;
      return redis === 'eviction_unknown' ? undefined : Number(redis !== 'evicts');
    },
  });
  gauge('ugc_elasticsearch_up', 'Whether the index can be searched, 0 or 1', ({ elasticsearch }) => elasticsearch === 'up');
}

const BACKLOG_KEPT_MS = 10_000;
const INSPECTION_KEPT_MS = 2_000;
const ROW_KEPT_MS = 1_000;

/** Scrapes, samples and status pages within 10 s share one query: it reads the whole outbox. */
export function shareBacklog(database: Database): () => Promise<Backlog> {
  return cached(BACKLOG_KEPT_MS, () => readBacklog(database));
}

/** Measured by the API, so that the backlog is known while no indexer is running. */
function measureOutboxAndQueue(registry: Registry, { backlog, redis, queue }: MetricSources): void {
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
function measureIndices(registry: Registry, sources: MetricSources): void {
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
  const isSearchable = async (): Promise<boolean> => (await sources.readiness()).stores.elasticsearch === 'up';
  measureIndexers(registry, { ...sources, inspection, isSearchable });
  measureComparison(registry, sources.database);
  measureOldTransactions(registry, sources.database);
  asyncGauge(registry, {
    name: 'ugc_index_restored_timestamp_seconds',
    help: 'Unix time at which an indexer last noticed that the searched index was restored or has lost writes; 0 before it',
    read: cached(ROW_KEPT_MS, async () => Date.parse((await readRestored(sources))?.restoredAt ?? new Date(0).toISOString()) / 1_000),
  });
  asyncGauge(registry, {
    name: 'ugc_backup_age_seconds',
    help: 'Time since the last backup whose file was checked; absent if there has never been one',
    read: cached(ROW_KEPT_MS, async () => (await readLastBackup(sources.database))?.ageSeconds),
  });
}

function measureIndexers(registry: Registry, sources: WantedSources): void {
  asyncGauge(registry, {
    name: 'ugc_index_paused',
    help: 'Whether an operator has paused indexing, 0 or 1',
    read: cached(ROW_KEPT_MS, async () => Number((await pausedSince(sources.database)) !== null)),
  });
  asyncGauge(registry, {
    name: 'ugc_indexers_wanted',
    help: 'How many indexers have work: 0 if there is none, more than 1 by the pending changes; absent without PostgreSQL',
    read: cached(ROW_KEPT_MS, () => readIndexersWanted(sources)),
  });
}

function measureComparison(registry: Registry, database: Database): void {
  const read = cached(ROW_KEPT_MS, () => readComparison(database));
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

/** The scrape omits the gauge without such a comparison, and if it cannot be read in time. */
function measureDifferences(registry: Registry, { name, help, read }: DifferencesGauge): void {
  new Gauge({
    name,
    help,
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const round = await readForScrape(read());
      this.reset();
      for (const [kind, count] of Object.entries(round?.differences ?? {})) this.set({ kind }, count);
    },
  });
}

const OLD_TRANSACTIONS_KEPT_MS = 10_000;

function measureOldTransactions(registry: Registry, database: Database): void {
  const read = cached(OLD_TRANSACTIONS_KEPT_MS, () => readOldTransactions(database));
  asyncGauge(registry, {
    name: 'ugc_outbox_dead_rows',
    help: 'Dead rows of the outbox and of the texts to be embedded that PostgreSQL has not removed, by its statistics',
    read: async () => (await read()).deadRows,
  });
  new Gauge({
    name: 'ugc_postgres_old_transaction_seconds',
    help: 'Age of what keeps PostgreSQL from removing dead rows, if it is older than 5 minutes or has no start (0)',
    labelNames: ['kind', 'pid', 'application', 'started'],
    registers: [registry],
    async collect() {
      const holder = (await readForScrape(read()))?.holder;
      this.reset();
      if (!holder) return;
      const { kind, pid, name: application, since, seconds } = holder;
      this.set({ kind, pid: String(pid ?? ''), application, started: since?.toISOString() ?? '' }, seconds);
    },
  });
}
