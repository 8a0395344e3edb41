import { Counter, type Registry } from 'prom-client';
import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from './elasticsearch.ts';
import { REFUSAL_KINDS, refusalKind, refusalKindsOf } from './elasticsearch-errors.ts';

/** Counts, from the client's own events, what Elasticsearch refuses: whoever asks it for something need not know. */
export function countElasticsearchErrors(registry: Registry, { diagnostic }: Pick<Elasticsearch, 'diagnostic'>): void {
  const refusals = new Counter({
    name: 'ugc_elasticsearch_refusals_total',
    help: `Requests that Elasticsearch refused, in whole or in part, by kind: ${REFUSAL_KINDS.join(', ')}`,
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of REFUSAL_KINDS) refusals.inc({ kind }, 0);
  diagnostic.on('response', (error, result) => {
    if (error) return refusals.inc({ kind: refusalKind(error) });
    const { items } = (result?.body ?? {}) as Partial<estypes.BulkResponse>;
    for (const kind of refusalKindsOf(items ?? [])) refusals.inc({ kind });
  });
}
