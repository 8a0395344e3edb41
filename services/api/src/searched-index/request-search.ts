import { errors, type estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Limits } from '../env.ts';
import { badRequest, Problem } from '../http/problem.ts';
import type { Reservation } from '../limits/byte-budget.ts';
import { SearchFailed } from './search-failed.ts';

export type SearchSource = { elasticsearch: Elasticsearch; limits: Pick<Limits, 'PAGE_MAX_BYTES'> };

export type SearchClient = {
  /** Counts the bytes of the response. The route releases it after the page is rendered. */
  reservation: Reservation;
  /** Counts a page that takes several searches until the returned function is called. @throws Problem 429 */
  startDeepPage: () => () => void;
  disconnected: AbortSignal;
};

const SEARCH_TIMEOUT_MS = 2_500;
const COMPLETE = { allow_partial_search_results: false, timeout: `${SEARCH_TIMEOUT_MS}ms` };

/**
 * Sends a search and receives the response body, counting its bytes as they arrive.
 * @param signal cancels the search, also in Elasticsearch, which cancels searches whose connection closes
 * @throws Problem 400 above `PAGE_MAX_BYTES` · 429 of the reservation · ClientDisconnected · SearchFailed
 */
export async function requestSearch(
  { elasticsearch, limits }: SearchSource,
  request: estypes.SearchRequest,
  { reservation, disconnected, signal }: SearchClient & { signal: AbortSignal },
): Promise<Buffer> {
  try {
    const response = await elasticsearch.search({ ...COMPLETE, ...request }, { signal, asStream: true, meta: true });
    const body = response.body as unknown as Readable;
    if (response.statusCode !== 200) throw await responseError(elasticsearch, response, body);
    return await receive(body, (bytes, total) => {
      if (total > limits.PAGE_MAX_BYTES) throw pageTooLarge(request.size, limits.PAGE_MAX_BYTES);
      reservation.add(bytes);
    });
  } catch (cause) {
    disconnected.throwIfAborted();
    if (cause instanceof Problem) throw cause;
    throw new SearchFailed('the search request to Elasticsearch failed', { cause });
  }
}

/** An error thrown by `onBytes` destroys the stream, which closes the connection to Elasticsearch. */
async function receive(body: Readable, onBytes: (bytes: number, total: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    total += chunk.length;
    onBytes(chunk.length, total);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, total);
}

type StreamedResponse = { statusCode: number | null; headers: object; warnings: string[] | null; meta: object };

/** With `asStream` the client does not report error responses, so this emits the event that the metrics listen to. */
async function responseError(elasticsearch: Elasticsearch, response: StreamedResponse, body: Readable): Promise<Error> {
  const result = { ...response, body: parseBody(await text(body)) } as ConstructorParameters<typeof errors.ResponseError>[0];
  const error = new errors.ResponseError(result);
  elasticsearch.diagnostic.emit('response', error, result);
  return error;
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

// Measured: rendering a page of 210 MB blocked the event loop for four seconds.
function pageTooLarge(size: number | undefined, limitBytes: number): Problem {
  const detail = `the ${size} items of this page exceed ${limitBytes} bytes; request a smaller size`;
  return badRequest('The page is too large.', [{ parameter: 'size', detail }]);
}
