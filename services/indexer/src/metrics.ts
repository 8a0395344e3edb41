import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { measurePostgresPool } from '@ugc/shared/stores/postgres-metrics';
import type { Database } from '@ugc/shared/stores/postgres';
import { countElasticsearchErrors } from '@ugc/shared/stores/elasticsearch-metrics';
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { measureBulks } from './documents/bulk-metrics.ts';

export type IndexerMetrics = ReturnType<typeof createMetrics>;
export type MetricSources = { database: Database; elasticsearch: Elasticsearch };

export function createMetrics({ database, elasticsearch }: MetricSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const documents = new Counter({
    name: 'ugc_index_documents_total',
    help: 'Changes answered by Elasticsearch, by outcome: indexed, retry or rejected',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['indexed', 'retry', 'rejected']) documents.inc({ outcome }, 0);
  const lag = new Histogram({
    name: 'ugc_index_lag_seconds',
    help: "Time from a change's commit to its acknowledgement; downloads and ratings wait 5 s on purpose",
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 300, 900, 3_600],
    registers: [registry],
  });
  const jobDuration = new Histogram({
    name: 'ugc_index_job_duration_seconds',
    help: 'Time from reading the rows of an index job to their acknowledgement',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  measureBulks(registry, elasticsearch);
  countElasticsearchErrors(registry, elasticsearch);
  measurePostgresPool(registry, database);
  return { registry, documents, lag, jobDuration };
}
