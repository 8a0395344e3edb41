import { errors } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

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
