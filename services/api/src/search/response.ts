import { errors, type estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { isDatabaseOutage } from '@ugc/shared/postgres/errors';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { badRequest, type Problem } from '@ugc/items/problems/problem';

export type Query = estypes.QueryDslQueryContainer;
export type SearchBody = estypes.SearchSearchRequestBody;
export type Found = estypes.MsearchMultiSearchItem;

type SearchFailedOptions = ErrorOptions & { status?: number | undefined; forOperators?: boolean };

/** Elasticsearch is unavailable or searched only a part of the index. The API returns an error, no incomplete page. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
  /** That of the response of Elasticsearch. */
  readonly status: number | undefined;
  /** Whether the message says what an operator has to do. */
  readonly forOperators: boolean;

  constructor(message: string, { status, forOperators = false, ...options }: SearchFailedOptions = {}) {
    super(message, options);
    this.status = status;
    this.forOperators = forOperators;
  }
}

/** A search that Elasticsearch refuses is a defect. */
export function isStoreFailure(error: unknown): error is Error {
  return isDatabaseOutage(error) || (error instanceof SearchFailed && error.status !== 400);
}

/** Whether the requests that wait would fail too. A search that exceeded its time limit has no cause and does not imply it. */
export function isOutage(error: unknown): error is Error {
  return isStoreFailure(error) && !(error instanceof SearchFailed && error.cause === undefined);
}

/** The response is from another index than the one that its query was built for, or from more than that one. */
export class IndexMoved extends SearchFailed {
  constructor() {
    super('the alias moves from one index to another');
  }
}

type Coverage = { timed_out: boolean; _shards: estypes.ShardStatistics };

/**
 * Checks that a response covers the complete index, and only the index that its query was built for.
 * @param shards the number of shards of that index
 * @throws IndexMoved · SearchFailed
 */
export function assertCoversIndex({ timed_out: timedOut, _shards }: Coverage, shards: number): void {
  if (_shards.total !== shards) throw new IndexMoved();
  if (timedOut) throw new SearchFailed('the search timed out');
  if (_shards.failed > 0) throw new SearchFailed(`${_shards.failed} shards failed`);
}

/** Parses the body of a response. @throws as `assertCoversIndex` */
export function parseComplete(body: Uint8Array, shards: number): estypes.SearchResponse {
  const parsed = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()) as estypes.SearchResponse;
  assertCoversIndex(parsed, shards);
  return parsed;
}

/** The number of matching items: exact with `track_total_hits: true`, otherwise as far as they were counted. */
export function totalOf({ total }: estypes.SearchHitsMetadata): number {
  return (total as estypes.SearchTotalHits).value;
}

// Measured: rendering a page of 210 MB blocked the event loop for four seconds.
export function pageTooLarge(size: number | undefined, limitBytes: number): Problem {
  const detail = `the ${size} items of this page exceed ${limitBytes} bytes; request a smaller size`;
  return badRequest('page-too-large', 'The page is too large.', [{ parameter: 'size', detail }]);
}

/**
 * Of a header whose length follows from that of the request: Link and Search-Correction. All headers of a response have at
 * most 3 KB together. A proxy such as nginx has 4 KiB for them, and responds with a 502 to more.
 */
export const LONG_HEADER_MAX_BYTES = 1_024;

/** A response of the client with `asStream` and `meta`: the body is a stream. */
export type StreamedResponse = { body: unknown; statusCode: number | null; headers: object; warnings: string[] | null; meta: object };

/**
 * Reads the body of a response, and nothing further until `onBytes` has returned. An error thrown by it closes the
 * connection to Elasticsearch.
 * @throws ResponseError of the client, for a status other than 200 · errors of `onBytes`
 */
export async function receiveBody(
  elasticsearch: Elasticsearch,
  response: StreamedResponse,
  onBytes: (received: number) => Promise<void>,
): Promise<Buffer> {
  if (response.statusCode !== 200) throw await responseError(elasticsearch, response);
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    total += chunk.length;
    await onBytes(total);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, total);
}

async function responseError(elasticsearch: Elasticsearch, response: StreamedResponse): Promise<Error> {
  const { statusCode, ...others } = response;
  const body = parseBody(await text(response.body as Readable));
  return reportedError(elasticsearch, { ...others, statusCode: statusCode ?? 0, body });
}

type ResponseResult = ConstructorParameters<typeof errors.ResponseError>[0];

/** With `asStream` the client does not report error responses, so this emits the event that the metrics listen to. */
export function reportedError(elasticsearch: Elasticsearch, response: Pick<ResponseResult, 'statusCode' | 'body'>): Error {
  const result = { headers: {}, warnings: null, meta: NO_META, ...response } as ResponseResult;
  const error = new errors.ResponseError(result);
  elasticsearch.diagnostic.emit('response', error, result);
  return error;
}

/** Of a search that was one of several in a request. */
const NO_META = { request: { params: { path: '' } } };

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
