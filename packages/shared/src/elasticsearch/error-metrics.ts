import type { estypes } from '@elastic/elasticsearch';
import { Counter, type Registry } from 'prom-client';
import type { Elasticsearch } from './elasticsearch.ts';
import { classifyFailedRequest, ERROR_KINDS, errorKindsOf, type ErrorKind } from './errors.ts';

export function countElasticsearchErrors(registry: Registry, { diagnostic }: Pick<Elasticsearch, 'diagnostic'>): void {
  const counter = new Counter({
    name: 'ugc_elasticsearch_errors_total',
    help: `Requests to Elasticsearch that failed as a whole or in part, by kind: ${ERROR_KINDS.join(', ')}`,
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of ERROR_KINDS) counter.inc({ kind }, 0);
  diagnostic.on('response', (error, result) => {
    for (const kind of kindsOf(error, result)) counter.inc({ kind });
  });
}

type Result = { body?: unknown; meta: { request: { params: { path: string; body?: unknown } } } } | null;

function kindsOf(error: Error | null, result: Result): Iterable<ErrorKind> {
  if (!error) return errorKindsOf((result?.body as Partial<estypes.BulkResponse> | undefined)?.items ?? []);
  const { kind } = classifyFailedRequest(isSingleDocument(result) ? 'document' : 'request', error);
  return kind === undefined ? [] : [kind];
}

/** The body of a bulk request has two lines for each document. */
function isSingleDocument(result: Result): boolean {
  const { path, body } = result?.meta.request.params ?? {};
  return path?.endsWith('/_bulk') === true && typeof body === 'string' && body.split('\n', 4).length <= 3;
}
