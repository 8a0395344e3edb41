import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const DIMENSIONS = 64;

/** Words that mean the same have the same vector. */
const SYNONYMS: Record<string, string> = { couch: 'sofa', settee: 'sofa', automobile: 'car', feline: 'cat', kitten: 'cat' };

type Input = { model: string; input: string[]; dimensions?: number };

/** What the server does instead of responding: `refuses` names a text that it does not embed. */
export type Behaviour = {
  hangs?: boolean;
  status?: number;
  headers?: Record<string, string>;
  refuses?: RegExp;
  /** The model that it does not have. */
  refusesModel?: string;
  /** Changes the response before it is sent. */
  change?: (vectors: number[][]) => unknown[];
  body?: string;
};

/** An embedding service with deterministic vectors: the sum of those of the words. */
export class EmbeddingServer {
  behaviour: Behaviour = {};
  readonly requests: Input[] = [];
  readonly authorizations: (string | undefined)[] = [];
  readonly #server = createServer((request, response) => void this.#respond(request, response));

  static async start(port = 0): Promise<EmbeddingServer> {
    const server = new EmbeddingServer();
    await new Promise<void>((resolve) => void server.#server.listen(port, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  get texts(): string[] {
    return this.requests.flatMap(({ input }) => input);
  }

  /** Requests that hang fail. */
  closeConnections(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse(await text(request)) as Input;
    this.requests.push(asked);
    this.authorizations.push(request.headers.authorization);
    const { hangs, status = 200, headers = {}, refuses, refusesModel, change = (vectors) => vectors, body } = this.behaviour;
    if (hangs) return;
    if (status !== 200) return void response.writeHead(status, headers).end(body ?? '{"error":"as configured"}');
    if (refusesModel === asked.model) return void response.writeHead(404).end('{"error":"no such model"}');
    if (refuses && asked.input.some((one) => refuses.test(one))) return void response.writeHead(400).end('{"error":"not this text"}');
    const vectors = asked.input.map((one) => vectorOf(one, asked));
    const data = change(vectors).map((embedding, index) => ({ object: 'embedding', index, embedding }));
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(body ?? JSON.stringify({ object: 'list', data, model: asked.model }));
  }
}

/** Another model has other vectors. */
export function vectorOf(of: string, { model, dimensions = DIMENSIONS }: Pick<Input, 'model' | 'dimensions'>): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of of.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const bytes = Buffer.from(hash('sha512', `${model} ${SYNONYMS[word] ?? word}`), 'hex');
    for (let n = 0; n < dimensions; n += 1) vector[n] = (vector[n] ?? 0) + (bytes[n % bytes.length] ?? 0) - 127.5;
  }
  return vector;
}
