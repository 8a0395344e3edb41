import { Client } from '@elastic/elasticsearch';
import { createMetrics as apiMetrics, measureKeyServer } from '@ugc/api/operators/metrics';
import { measureTraffic } from '@ugc/api/operators/resource-usage';
import { createRankingMetrics } from '@ugc/api/search/meaning/meaning';
import { createEmbeddingMetrics } from '@ugc/indexer/embeddings/keep-embedded';
import { createMetrics as indexerMetrics } from '@ugc/indexer/metrics';
import { measureEmbeddings } from '@ugc/shared/embeddings/metrics';
import type { Registry } from 'prom-client';

// The registries use their sources only during a scrape.
const sources = { database: {}, elasticsearch: new Client({ node: 'http://127.0.0.1:1' }) } as never;

/** The metrics of the services, without values. */
export const registries = { API: apiMetrics(sources).registry, indexer: indexerMetrics(sources).registry };
measureTraffic(registries.API, {} as never);
measureKeyServer(registries.API, () => undefined);
// With an embedding service.
measureEmbeddings(registries.API, {} as never);
createRankingMetrics(registries.API);
createEmbeddingMetrics(registries.indexer);

export type Metric = {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labelNames: string[];
  /** Of a histogram. */ upperBounds?: number[];
};

export function metricsOf(registry: Registry): Metric[] {
  return registry.getMetricsAsArray() as unknown as Metric[];
}

/** The metrics of both services by name. */
export const METRICS = new Map(
  Object.values(registries)
    .flatMap(metricsOf)
    .map((metric) => [metric.name, metric]),
);

/** The names that queries use: a histogram has three series. */
export function seriesOf({ name, type }: Metric): string[] {
  return type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];
}
