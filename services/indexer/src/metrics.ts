import { measureVersion } from '@ugc/shared/process/metrics';
import type { ChangeResult } from '@ugc/shared/outbox/acknowledge';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { measurePostgresPool } from '@ugc/shared/postgres/pool-metrics';
import type { Database } from '@ugc/shared/postgres/postgres';
import { countElasticsearchErrors } from '@ugc/shared/elasticsearch/error-metrics';
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { onBulkResponse } from './documents/bulk.ts';

export type IndexerMetrics = ReturnType<typeof createMetrics>;
type MetricSources = { database: Database; elasticsearch: Elasticsearch };

const RESULTS: ChangeResult['result'][] = ['acknowledged', 'retried', 'rejected'];

export function createMetrics({ database, elasticsearch }: MetricSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureVersion(registry);
  const changes = new Counter({
    name: 'ugc_index_changes_total',
    help: 'Changes of index jobs, by result: acknowledged, retried or rejected',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of RESULTS) changes.inc({ result }, 0);
  const lag = new Histogram({
    name: 'ugc_index_lag_seconds',
    help: "Time from a change's commit to its acknowledgement; downloads and ratings are delayed by 5 s to be combined",
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 300, 900, 3_600],
    registers: [registry],
  });
  const jobDuration = new Histogram({
    name: 'ugc_index_job_duration_seconds',
    help: 'Duration of an index job: reading its changes, writing and acknowledging them',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const bulkDuration = new Histogram({
    name: 'ugc_bulk_request_duration_seconds',
    help: 'Time until the response to a bulk request, or its timeout',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  onBulkResponse(elasticsearch, (seconds) => bulkDuration.observe(seconds));
  countElasticsearchErrors(registry, elasticsearch);
  measurePostgresPool(registry, database);
  return { registry, changes, lag, jobDuration };
}
