import { createServer as createHttpServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Fault =
  | { kind: 'none' }
  | { kind: 'delay'; delayMs: number }
  | { kind: 'silence' }
  | { kind: 'reset' }
  | { kind: 'cut'; afterBytes: number; pattern: string | undefined }
  | { kind: 'answer'; answer: AnswerInstead };

export type HttpRequest = { method: string; path: string; body: string };
/** @returns undefined for a request that goes on to the server */
export type AnswerInstead = (request: HttpRequest) => { status: number; body: unknown } | undefined;

type Link = { client: Socket; server: Socket | undefined; lost: boolean; swallowedBytes: number; answeredBytes: number };

/** Stands before a server and does to its connections what networks do. A fault concerns open connections and new ones. */
export class ChaosProxy {
  readonly url: string;
  readonly #target: { host: string; port: number };
  readonly #listener: Server;
  readonly #http = createHttpServer((request, response) => void this.#answerHttp(request, response));
  readonly #links = new Set<Link>();
  #fault: Fault = { kind: 'none' };
  #cuts = 0;

  /** @param targetUrl of any scheme; the proxy's own differs from it in the port alone */
  static async before(targetUrl: string): Promise<ChaosProxy> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new ChaosProxy(targetUrl, listener);
  }

  private constructor(targetUrl: string, listener: Server) {
    const url = new URL(targetUrl);
    this.#target = { host: url.hostname, port: Number(url.port) };
    url.port = String((listener.address() as AddressInfo).port);
    this.url = url.href.replace(/^(redis:.*)\/$/, '$1');
    this.#listener = listener.on('connection', (client: Socket) => this.#accept(client));
  }

  heal(): void {
    this.#change({ kind: 'none' });
  }

  delay(delayMs: number): void {
    this.#change({ kind: 'delay', delayMs });
  }

  /** Accepts and swallows. A connection that has lost bytes is never heard of again, also after healing: it isn't even closed. */
  silence(): void {
    this.#change({ kind: 'silence' });
  }

  reset(): void {
    this.#change({ kind: 'reset' });
    for (const link of this.#links) breakOff(link);
  }

  /** Breaks the next connection that is answered so many bytes, and heals. */
  cutAfter(afterBytes: number): void {
    this.#change({ kind: 'cut', afterBytes, pattern: undefined });
  }

  /** Breaks the next connection that is answered these characters, in place of the answer, and heals. */
  cutInsteadOf(pattern: string): void {
    this.#change({ kind: 'cut', afterBytes: 0, pattern });
  }

  /** How many connections were cut. */
  get cuts(): number {
    return this.#cuts;
  }

  /** How many open connections have sent something that was swallowed. */
  get swallowing(): number {
    return [...this.#links].filter(({ swallowedBytes }) => swallowedBytes > 0).length;
  }

  /** Reads requests as HTTP and answers some of them itself. */
  answer(answer: AnswerInstead): void {
    this.#change({ kind: 'answer', answer });
    for (const link of this.#links) breakOff(link);
  }

  async close(): Promise<void> {
    for (const link of this.#links) breakOff(link);
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #change(fault: Fault): void {
    this.#fault = fault;
    this.#http.closeAllConnections();
    for (const link of this.#links) link.answeredBytes = 0;
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#fault.kind === 'reset') client.resetAndDestroy();
    else if (this.#fault.kind === 'answer') this.#http.emit('connection', client);
    else this.#link(client);
  }

  #link(client: Socket): void {
    const lost = this.#fault.kind === 'silence';
    const link: Link = { client, server: lost ? undefined : connect(this.#target), lost, swallowedBytes: 0, answeredBytes: 0 };
    this.#links.add(link);
    client.on('data', (bytes) => this.#carry(link, bytes, () => link.server?.write(bytes)));
    client.on('close', () => this.#end(link));
    link.server?.on('data', (bytes) => this.#carryAnswer(link, bytes));
    link.server?.on('error', () => link.lost || client.resetAndDestroy());
    link.server?.on('close', () => this.#later(() => link.lost || client.end()));
  }

  #end(link: Link): void {
    this.#links.delete(link);
    link.server?.destroy();
  }

  #carry(link: Link, bytes: Buffer, pass: () => void): void {
    if (this.#fault.kind === 'silence') link.lost = true;
    if (link.lost) link.swallowedBytes += bytes.length;
    else if (bytes.length > 0) this.#later(pass);
  }

  #carryAnswer(link: Link, bytes: Buffer): void {
    const allowed = this.#allowedBytes(link, bytes);
    link.answeredBytes += bytes.length;
    this.#carry(link, bytes, () => link.client.write(bytes.subarray(0, allowed)));
    if (allowed < bytes.length) this.#cut(link);
  }

  #allowedBytes(link: Link, bytes: Buffer): number {
    if (this.#fault.kind !== 'cut') return bytes.length;
    const { pattern, afterBytes } = this.#fault;
    if (pattern !== undefined) return bytes.includes(pattern) ? 0 : bytes.length;
    return Math.max(Math.min(afterBytes - link.answeredBytes, bytes.length), 0);
  }

  #cut(link: Link): void {
    this.#cuts += 1;
    this.#fault = { kind: 'none' };
    link.lost = true;
    // Ended, not reset: a reset would overtake the part of the answer that was let through.
    link.client.end();
    link.server?.destroy();
  }

  #later(step: () => void): void {
    if (this.#fault.kind === 'delay') setTimeout(step, this.#fault.delayMs);
    else step();
  }

  async #answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const asked = { method: request.method ?? '', path: request.url ?? '', body: body.toString() };
    const instead = this.#fault.kind === 'answer' ? this.#fault.answer(asked) : undefined;
    if (instead === undefined) return this.#forward(request, body, response);
    // Elasticsearch's client checks what it talks to.
    response.writeHead(instead.status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
    response.end(JSON.stringify(instead.body));
  }

  #forward({ method, url, headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const forwarded = httpRequest({ ...this.#target, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end(body);
  }
}

function breakOff(link: Link): void {
  link.client.resetAndDestroy();
  link.server?.destroy();
}
