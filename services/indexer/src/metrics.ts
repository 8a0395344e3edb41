import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export type IndexerMetrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const documents = new Counter({
    name: 'ugc_index_documents_total',
    help: 'Changes answered by Elasticsearch, by outcome: indexed, retry or rejected',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['indexed', 'retry', 'rejected']) documents.inc({ outcome }, 0);
  const jobDuration = new Histogram({
    name: 'ugc_index_job_duration_seconds',
    help: 'Time from reading the rows of an index job to their acknowledgement',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return { registry, documents, jobDuration };
}
