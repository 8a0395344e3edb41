import { errors } from '@elastic/elasticsearch';
import { describe, expect, it } from '@jest/globals';
import type { Change } from '@ugc/indexer/documents/bulk';
import { writeChanges } from '@ugc/indexer/documents/write-changes';
import { connectElasticsearch } from '@ugc/shared/stores/elasticsearch';
import { classifyFailedRequest, classifyItem, errorKindsOf, type ErrorKind, type Outcome } from '@ugc/shared/stores/elasticsearch-errors';
import { countElasticsearchErrors } from '@ugc/shared/stores/elasticsearch-metrics';
import { Registry } from 'prom-client';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const item = (status: number, type?: string) => ({ _index: 'i', status, ...(type && { error: { type } }) });
const response = (statusCode: number, type?: string) => new errors.ResponseError({ statusCode, body: { error: { type } } } as never);

type Row = [status: number, type: string | undefined, outcome: Outcome, kind: ErrorKind | undefined];

const ANY_RESPONSE: Row[] = [
  [409, 'version_conflict_engine_exception', 'done', undefined],
  [400, 'index_closed_exception', 'retry', 'blocked'],
  [403, 'cluster_block_exception', 'retry', 'blocked'],
  [429, 'cluster_block_exception', 'retry', 'blocked'],
  [503, 'cluster_block_exception', 'retry', 'blocked'],
  [429, 'es_rejected_execution_exception', 'retry', 'overloaded'],
  [429, 'circuit_breaking_exception', 'retry', 'overloaded'],
  [429, undefined, 'retry', 'overloaded'],
  [401, 'security_exception', 'retry', 'forbidden'],
  [403, 'security_exception', 'retry', 'forbidden'],
  [404, 'index_not_found_exception', 'retry', 'missing'],
  [404, 'search_context_missing_exception', 'retry', 'bad_request'],
  [400, 'something_unlisted', 'retry', 'bad_request'],
  [400, undefined, 'retry', 'bad_request'],
  [406, 'media_type_header_exception', 'retry', 'bad_request'],
  [409, 'something_unlisted', 'retry', 'bad_request'],
  [500, 'something_unlisted', 'retry', 'unavailable'],
  [502, undefined, 'retry', 'unavailable'],
  [503, 'unavailable_shards_exception', 'retry', 'unavailable'],
];

const DOCUMENT_ERRORS: [type: string][] = [
  ['document_parsing_exception'],
  ['mapper_parsing_exception'],
  ['strict_dynamic_mapping_exception'],
  ['illegal_argument_exception'],
  ['action_request_validation_exception'],
];

describe('a response of Elasticsearch has the same meaning for a request and for an item of a bulk response', () => {
  it.each(ANY_RESPONSE)('status %s with type %s means: %s, kind %s', (status, type, outcome, kind) => {
    expect(classifyItem(item(status, type))).toEqual({ outcome, kind });
    expect(classifyFailedRequest('request', response(status, type))).toEqual({ outcome, kind });
    expect(classifyFailedRequest('document', response(status, type))).toEqual({ outcome, kind });
  });
});

describe('an item of a bulk response', () => {
  it.each([200, 201])('is done with status %s', (status) => {
    expect(classifyItem(item(status))).toEqual({ outcome: 'done', kind: undefined });
  });

  it('is done when the document to delete does not exist', () => {
    expect(classifyItem({ _index: 'i', status: 404, result: 'not_found' })).toEqual({ outcome: 'done', kind: undefined });
  });

  it.each(DOCUMENT_ERRORS)('is rejected as an invalid document with type %s', (type) => {
    expect(classifyItem(item(400, type))).toEqual({ outcome: 'reject', kind: 'invalid_document' });
  });
});

describe('a request that failed as a whole', () => {
  it.each(DOCUMENT_ERRORS)('is retried as a bad request with type %s', (type) => {
    expect(classifyFailedRequest('request', response(400, type))).toEqual({ outcome: 'retry', kind: 'bad_request' });
    expect(classifyFailedRequest('document', response(400, type))).toEqual({ outcome: 'retry', kind: 'bad_request' });
  });

  it('is rejected with status 413 only if it has a single document', () => {
    expect(classifyFailedRequest('document', response(413))).toEqual({ outcome: 'reject', kind: 'invalid_document' });
    expect(classifyFailedRequest('request', response(413))).toEqual({ outcome: 'retry', kind: 'bad_request' });
  });

  it.each([
    ['a timeout', new errors.TimeoutError('too late')],
    ['a broken connection', new errors.ConnectionError('closed')],
    ['an unknown error', new Error('unknown')],
  ])('is retried when it has no response because of %s', (_, error) => {
    expect(classifyFailedRequest('request', error)).toEqual({ outcome: 'retry', kind: 'no_response' });
  });
});

it('the items of a bulk response are counted once for each kind, and not at all if they are done', () => {
  const items = [item(201), item(429), item(429), item(400, 'document_parsing_exception'), item(409, 'version_conflict_engine_exception')];
  expect([...errorKindsOf(items.map((index) => ({ index })))]).toEqual(['overloaded', 'invalid_document']);
});

it('the metric counts a single document that is too large as invalid, and a larger bulk request as bad', async () => {
  const server = createServer((_, response) => response.writeHead(413, { 'x-elastic-product': 'Elasticsearch' }).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connectElasticsearch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1_000);
  const registry = new Registry();
  countElasticsearchErrors(registry, client);
  const counted = async (changes: Change[]): Promise<string[]> => {
    registry.resetMetrics();
    await writeChanges(client, 'i', changes);
    const values = (await registry.getSingleMetric('ugc_elasticsearch_errors_total')?.get())?.values ?? [];
    return values.filter(({ value }) => value > 0).map(({ labels, value }) => `${labels['kind']}: ${value}`);
  };
  const [one, another] = [1, 2].map((contentId): Change => ({ contentId, revision: 1, source: '{}' }));
  expect(await counted([one!])).toEqual(['invalid_document: 1']);
  expect(await counted([one!, another!])).toEqual(['bad_request: 1', 'invalid_document: 2']);
  await client.close();
  server.close();
});
