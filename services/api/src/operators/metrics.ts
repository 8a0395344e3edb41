import { asyncGauge, measureVersion } from '@ugc/shared/process/metrics';
import { measureIndices, measureOutboxAndQueue, type DeliveryMetricSources } from '@ugc/shared/status/metrics';
import { countElasticsearchErrors } from '@ugc/shared/elasticsearch/errors';
import { measurePostgresPool } from '@ugc/shared/postgres/postgres';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { createRelayMetrics } from '../indexing/relay.ts';
import { createInsightMetrics } from '../search/insights/search-insights.ts';
import type { Readiness } from './readiness.ts';
import { RequestHistory } from './request-history.ts';

type MetricSources = Omit<DeliveryMetricSources, 'isSearchable'> & { readiness: () => Promise<Readiness> };
export type ApiMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureVersion(registry);
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
  const searchInsights = createInsightMetrics(registry);
  const relay = createRelayMetrics(registry);
  // The pool is measured first, because the backlog and readiness queries use connections themselves.
  measurePostgresPool(registry, sources.database);
  const isSearchable = async (): Promise<boolean> => (await sources.readiness()).stores.elasticsearch === 'up';
  const delivery = { ...sources, isSearchable };
  measureOutboxAndQueue(registry, delivery);
  measureStores(registry, sources.readiness);
  measureIndices(registry, delivery);
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
