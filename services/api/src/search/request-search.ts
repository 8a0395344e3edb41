import { errors, type estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Limits } from '../env.ts';
import { badRequest, Problem } from '../http/problem.ts';
import type { Reservation } from '../traffic/byte-budget.ts';
import { SearchFailed } from './render-page.ts';

export type SearchSource = { elasticsearch: Elasticsearch; limits: Pick<Limits, 'PAGE_MAX_BYTES'> };

/** Who asks for a list. */
export type SearchCaller = {
  /** Holds the bytes of the answer; whoever asks releases it when the page is made. */
  room: Reservation;
  /** Aborted when the caller has left. */
  gone: AbortSignal;
};

/**
 * Sends a search and receives its answer as bytes, which are counted as Elasticsearch sends them.
 * @param signal ends the search, at Elasticsearch too, which cancels the searches of closed connections
 * @throws Problem 400 for an answer larger than a page may be · what the reservation throws · CallerGone · SearchFailed
 */
export async function requestSearch(
  { elasticsearch, limits }: SearchSource,
  request: estypes.SearchRequest,
  { room, gone, signal }: SearchCaller & { signal: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const answer = await elasticsearch.search(request, { signal, asStream: true, meta: true });
    const body = answer.body as unknown as Readable;
    if (answer.statusCode !== 200) throw await responseError(elasticsearch, answer, body);
    return await receive(body, (bytes, total) => {
      if (total > limits.PAGE_MAX_BYTES) throw tooLarge(request.size, limits.PAGE_MAX_BYTES);
      room.add(bytes);
    });
  } catch (cause) {
    gone.throwIfAborted();
    if (cause instanceof Problem) throw cause;
    throw new SearchFailed('Elasticsearch does not answer', { cause });
  }
}

/** Leaving the loop early destroys the stream, and so closes the connection to Elasticsearch. */
async function receive(body: Readable, onBytes: (bytes: number, total: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    total += chunk.length;
    onBytes(chunk.length, total);
    chunks.push(chunk);
  }
  return concatenated(chunks, total);
}

// Not Buffer.concat: its memory may be part of a pool, which can't be handed to another thread.
function concatenated(chunks: Buffer[], total: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(total);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
}

type StreamedAnswer = { statusCode: number | null; headers: object; warnings: string[] | null; meta: object };

/** The client reads no errors from streams, and tells nobody of them: the metrics listen to its events. */
async function responseError(elasticsearch: Elasticsearch, answer: StreamedAnswer, body: Readable): Promise<Error> {
  const result = { ...answer, body: parsed(await text(body)) } as ConstructorParameters<typeof errors.ResponseError>[0];
  const error = new errors.ResponseError(result);
  elasticsearch.diagnostic.emit('response', error, result);
  return error;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

// Measured: a page of 210 MB kept the process from everything else for four seconds.
function tooLarge(size: number | undefined, limitBytes: number): Problem {
  const detail = `${size} items of this page are larger than ${limitBytes} bytes together; ask for fewer at a time`;
  return badRequest('The page is too large.', [{ parameter: 'size', detail }]);
}
