import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Model } from './model.ts';

const BODY_MAX_BYTES = 4 * 2 ** 20;
const MAX_TEXTS = 256;

class BadRequest extends Error {}

type Asked = { texts: string[]; isBase64: boolean };

/** Speaks the OpenAI-compatible `POST /v1/embeddings`. */
export function createEmbedder(model: Model, name: string): Server {
  const turns = new Turns();
  const embed = async (request: IncomingMessage, response: ServerResponse): Promise<object> => {
    const { texts, isBase64 } = parse(await readBody(request));
    const data: object[] = [];
    for (const [index, text] of texts.entries()) {
      // Nobody waits for the rest.
      if (response.closed) break;
      const vector = await turns.take(texts.length === 1, () => model.embed(text));
      const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
      data.push({ object: 'embedding', index, embedding: isBase64 ? bytes.toString('base64') : [...vector] });
    }
    return { object: 'list', data, model: name };
  };
  return createServer((request, response) => void respond(request, response, embed));
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  embed: (request: IncomingMessage, response: ServerResponse) => Promise<object>,
): Promise<void> {
  const send = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (request.method === 'GET' && request.url === '/health/live') return send(200, { status: 'up' });
  if (request.method !== 'POST' || request.url !== '/v1/embeddings') return send(404, { error: { message: 'use POST /v1/embeddings' } });
  try {
    send(200, await embed(request, response));
  } catch (error) {
    const isBad = error instanceof BadRequest;
    if (!isBad) process.stderr.write(`${String((error as Error).stack)}\n`);
    send(isBad ? 400 : 500, { error: { message: isBad ? error.message : 'the text could not be embedded' } });
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES) throw new BadRequest(`the body exceeds ${BODY_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(body: string): Asked {
  const { input, encoding_format: format } = toObject(body);
  const texts = (Array.isArray(input) ? input : [input]) as unknown[];
  if (texts.length === 0 || texts.length > MAX_TEXTS || !texts.every((text) => typeof text === 'string'))
    throw new BadRequest(`input must be a text or a list of 1 to ${MAX_TEXTS} texts`);
  return { texts, isBase64: format === 'base64' };
}

function toObject(body: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(body) as object) };
  } catch {
    throw new BadRequest('the body must be JSON');
  }
}

/** Runs one text at a time, since the model blocks the thread. A prompt does not wait for the texts of a batch. */
class Turns {
  readonly #waiting: { urgent: (() => void)[]; other: (() => void)[] } = { urgent: [], other: [] };
  #isTaken = false;

  async take<T>(isUrgent: boolean, work: () => Promise<T>): Promise<T> {
    const { urgent, other } = this.#waiting;
    if (this.#isTaken) await new Promise<void>((resolve) => void (isUrgent ? urgent : other).push(resolve));
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      // Requests that have arrived meanwhile are read first.
      await nextTurn();
      const next = urgent.shift() ?? other.shift();
      if (next) next();
      else this.#isTaken = false;
    }
  }
}
