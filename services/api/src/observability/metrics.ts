import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { asyncGauge } from '@ugc/shared/process/async-gauge';
import { measurePostgresPool } from '@ugc/shared/stores/postgres-metrics';
import { countElasticsearchErrors } from '@ugc/shared/stores/elasticsearch-metrics';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { measureBacklog, type BacklogSources } from './backlog-metrics.ts';
import type { Readiness } from './readiness.ts';

export type ApiMetrics = ReturnType<typeof createMetrics>;
export type MetricSources = BacklogSources & { elasticsearch: Elasticsearch; readiness: () => Promise<Readiness> };

export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestDuration = new Histogram({
    name: 'ugc_http_request_duration_seconds',
    help: 'Time to answer a request, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
    registers: [registry],
  });
  const connectionsDropped = new Counter({
    name: 'ugc_http_connections_dropped_total',
    help: 'Connections dropped because CONNECTIONS_MAX were open',
    registers: [registry],
  });
  const relay = relayMetrics(registry);
  // In this order: what the next two ask takes connections itself.
  measurePostgresPool(registry, sources.database);
  measureBacklog(registry, sources);
  measureStores(registry, sources.readiness);
  countElasticsearchErrors(registry, sources.elasticsearch);
  return { registry, requestDuration, connectionsDropped, relay };
}

function relayMetrics(registry: Registry) {
  const registers = [registry];
  return {
    claims: new Counter({ name: 'ugc_relay_claims_total', help: 'Outbox rows handed to the index queue', registers }),
    failedPasses: new Counter({ name: 'ugc_relay_failed_passes_total', help: 'Passes of the relay that ended with an error', registers }),
    lostJobs: new Counter({
      name: 'ugc_relay_lost_jobs_total',
      help: 'Jobs that the queue no longer knows; their changes are handed out again',
      registers,
    }),
    lastPass: new Gauge({
      name: 'ugc_relay_last_pass_timestamp_seconds',
      help: 'When the relay last reached Redis and PostgreSQL, as a Unix time',
      registers,
    }),
  };
}

function measureStores(registry: Registry, readiness: () => Promise<Readiness>): void {
  const gauge = (name: string, help: string, holds: (stores: Readiness['stores']) => boolean): void =>
    asyncGauge(registry, { name, help, ask: async () => Number(holds((await readiness()).stores)) });
  gauge('ugc_postgres_up', 'Whether PostgreSQL answers the API, 0 or 1', ({ postgres }) => postgres === 'up');
  gauge('ugc_redis_up', 'Whether Redis answers the API, 0 or 1', ({ redis }) => redis !== 'down');
  gauge(
    'ugc_redis_eviction_policy_ok',
    '0 while Redis may evict: its maxmemory-policy is not noeviction',
    ({ redis }) => redis !== 'evicts',
  );
  gauge('ugc_elasticsearch_up', 'Whether the index can be searched, 0 or 1', ({ elasticsearch }) => elasticsearch === 'up');
}
