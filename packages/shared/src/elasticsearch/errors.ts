import { errors, type estypes } from '@elastic/elasticsearch';

export type Outcome = 'done' | 'retry' | 'reject';

export const ERROR_KINDS = [
  'no_response',
  'overloaded',
  'blocked',
  'forbidden',
  'missing',
  'unavailable',
  'bad_request',
  'invalid_document',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** One item of a bulk response, a bulk request of one document as a whole, or any other request. */
type Scope = 'item' | 'document' | 'request';

type Row = readonly [scope: Scope | '*', status: string, type: string, outcome: Outcome, kind?: ErrorKind];

/** The first row that matches applies. `4xx` matches 400 to 499, and `none` a request without a response. */
const RESPONSES: readonly Row[] = [
  // An ingest pipeline of the index drops the document.
  ['item', '200', 'noop', 'retry', 'bad_request'],
  ['*', '2xx', '*', 'done'],
  // The index has a newer version; resolve-conflicts.ts in the indexer compares it with PostgreSQL.
  ['*', '409', 'version_conflict_engine_exception', 'done'],
  // The document to delete does not exist.
  ['*', '404', 'not_found', 'done'],
  ['*', 'none', '*', 'retry', 'no_response'],
  // 429 while the disk is full, 403 when an operator has set the block.
  ['*', '*', 'cluster_block_exception', 'retry', 'blocked'],
  ['*', '400', 'index_closed_exception', 'retry', 'blocked'],
  ['*', '429', '*', 'retry', 'overloaded'],
  ['*', '401', '*', 'retry', 'forbidden'],
  ['*', '403', '*', 'retry', 'forbidden'],
  ['*', '404', 'index_not_found_exception', 'retry', 'missing'],
  ['item', '400', 'document_parsing_exception', 'reject', 'invalid_document'],
  ['item', '400', 'mapper_parsing_exception', 'reject', 'invalid_document'],
  ['item', '400', 'strict_dynamic_mapping_exception', 'reject', 'invalid_document'],
  ['item', '400', 'illegal_argument_exception', 'reject', 'invalid_document'],
  ['item', '400', 'action_request_validation_exception', 'reject', 'invalid_document'],
  ['document', '413', '*', 'reject', 'invalid_document'],
  ['*', '5xx', '*', 'retry', 'unavailable'],
  // Unlisted types, and requests that another version or a proxy cannot read.
  ['*', '*', '*', 'retry', 'bad_request'],
];

type Meaning = { outcome: Outcome; kind: ErrorKind | undefined };

function classify(scope: Scope, status: string, type = ''): Meaning {
  const statuses = ['*', status, `${status.charAt(0)}xx`];
  const row = RESPONSES.find((candidate) => {
    const [rowScope, rowStatus, rowType] = candidate;
    return ['*', scope].includes(rowScope) && statuses.includes(rowStatus) && ['*', type].includes(rowType);
  });
  return { outcome: row?.[3] ?? 'retry', kind: row?.[4] };
}

export function classifyItem({ status, error, result }: estypes.BulkResponseItem): Meaning {
  return classify('item', String(status), error?.type ?? result);
}

export function classifyFailedRequest(scope: Exclude<Scope, 'item'>, error: unknown): Meaning {
  if (!(error instanceof errors.ResponseError)) return classify(scope, 'none');
  const body = error.body as { error?: { type?: string } } | undefined;
  return classify(scope, String(error.statusCode ?? 0), body?.error?.type);
}

export type BulkItems = Partial<Record<string, estypes.BulkResponseItem>>[];

export function errorKindsOf(items: BulkItems): Set<ErrorKind> {
  const responses = items.flatMap((item) => Object.values(item)).filter((response) => response !== undefined);
  return new Set(responses.map((response) => classifyItem(response).kind).filter((kind) => kind !== undefined));
}

/** @returns why Elasticsearch has not accepted a document, without the contents of the document */
export function describeRefusal({ status, error, result }: estypes.BulkResponseItem): string {
  if (result === 'noop') return 'an ingest pipeline drops it';
  const { type = `status ${status}`, reason } = error ?? {};
  // Elasticsearch quotes the value that it could not parse. The reason is logged, so the quotation is removed.
  const withoutContents = (reason ?? 'no reason given').replace(/ ?Preview of field's value: .*/s, '');
  return `${type}: ${withoutContents}${rootCause(error)}`;
}

// The type only: the reason of the cause may quote the document.
function rootCause(error: estypes.ErrorCause | undefined): string {
  let cause = error?.caused_by;
  while (cause?.caused_by) cause = cause.caused_by;
  return cause ? ` (${cause.type})` : '';
}

export function describeFailedRequest(error: unknown): string {
  if (error instanceof errors.ResponseError) return `HTTP ${error.statusCode ?? '?'}: ${error.message.slice(0, 500)}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
