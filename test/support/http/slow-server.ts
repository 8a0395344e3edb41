import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { until } from '../jest/until.ts';

const PARTS = 3;

/** A server before another one, as a slow network is: it sends some responses in parts, each when the test says so. */
export class SlowServer {
  /** The number of requests whose responses are sent in parts. */
  count = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #server = createServer((incoming, response) => void this.#forward(incoming, response));
  readonly #target: string;
  readonly #isSlow: RegExp;

  /** @param isSlow what the addresses of the slow responses have */
  static async before(target: string, isSlow: RegExp): Promise<SlowServer> {
    const slow = new SlowServer(target, isSlow);
    await new Promise<void>((resolve) => slow.#server.listen(0, '127.0.0.1', resolve));
    return slow;
  }

  private constructor(target: string, isSlow: RegExp) {
    this.#target = target;
    this.#isSlow = isSlow;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sends the next part of the response that has waited for the shortest time. */
  async sendPart(): Promise<void> {
    await until('a part waits', () => this.#waiting.length > 0);
    this.#waiting.pop()?.();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = incoming;
    const isSlow = method === 'GET' && this.#isSlow.test(url);
    // A part of what is compressed may say nothing yet.
    const asked = isSlow ? { ...headers, 'accept-encoding': 'identity' } : headers;
    const forwarded = request(new URL(url, this.#target), { method, headers: asked }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (isSlow) void this.#sendInParts(answer, response);
      else answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  }

  async #sendInParts(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    this.count += 1;
    const body = await buffer(answer);
    const size = Math.ceil(body.length / PARTS);
    for (let at = 0; at < body.length; at += size) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      response.write(body.subarray(at, at + size));
    }
    response.end();
  }
}
