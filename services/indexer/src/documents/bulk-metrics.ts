import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { Histogram, type Registry } from 'prom-client';

export function measureBulkRequests(registry: Registry, elasticsearch: Elasticsearch): void {
  const histogram = (name: string, help: string, buckets: number[]) => new Histogram({ name, help, buckets, registers: [registry] });
  const duration = histogram(
    'ugc_bulk_request_duration_seconds',
    'Time until the response to a bulk request, or its timeout',
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  );
  const bytes = histogram('ugc_bulk_request_bytes', 'Size of the body of a bulk request', [1e3, 1e4, 1e5, 1e6, 2e6, 4e6, 8e6, 1.6e7]);
  const documents = histogram(
    'ugc_bulk_request_documents',
    'Documents of a bulk request that had a response',
    [1, 2, 5, 10, 20, 50, 100, 200, 500],
  );
  onBulkResponse(elasticsearch, ({ seconds, sizeBytes, itemCount }) => {
    duration.observe(seconds);
    bytes.observe(sizeBytes);
    if (itemCount !== undefined) documents.observe(itemCount);
  });
}

type BulkResponse = { seconds: number; sizeBytes: number; itemCount: number | undefined };

/** Also reports requests that failed or timed out; without `itemCount` if they failed as a whole. */
export function onBulkResponse({ diagnostic }: Elasticsearch, listener: (response: BulkResponse) => void): void {
  diagnostic.on('response', (error, result) => {
    if (!result?.meta.request.params.path.endsWith('/_bulk')) return;
    const { items } = (error ? {} : result.body) as Partial<estypes.BulkResponse>;
    const sizeBytes = Number(result.meta.request.params.headers?.['content-length'] ?? 0);
    listener({ seconds: (result.meta.duration ?? 0) / 1_000, sizeBytes, itemCount: items?.length });
  });
}
