import { createServer as createHttpServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { IS_OPENSEARCH } from '../servers/search-engine.ts';

type Fault =
  | { kind: 'none' }
  | { kind: 'delay'; delayMs: number }
  | { kind: 'silence' }
  | { kind: 'reset' }
  | { kind: 'cut'; afterBytes: number; pattern?: string; after?: string }
  | { kind: 'intercept'; intercept: Interceptor };

export type HttpRequest = { method: string; path: string; body: string };
/** @returns the response to send instead, or undefined to forward the request to the server */
export type Interceptor = (request: HttpRequest) => { status: number; body: unknown } | undefined;

type Link = { client: Socket; server: Socket | undefined; lost: boolean; discardedBytes: number; receivedBytes: number; received: string };

/** A TCP proxy in front of a server that simulates network faults. A fault applies to open and to new connections. */
export class ChaosProxy {
  readonly url: string;
  #target: { host: string; port: number };
  readonly #listener: Server;
  readonly #http = createHttpServer((request, response) => void this.#interceptHttp(request, response));
  readonly #links = new Set<Link>();
  #fault: Fault = { kind: 'none' };
  #cuts = 0;

  /** @param targetUrl of any scheme; the URL of the proxy differs only in its port */
  static async before(targetUrl: string): Promise<ChaosProxy> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new ChaosProxy(targetUrl, listener);
  }

  private constructor(targetUrl: string, listener: Server) {
    const url = new URL(targetUrl);
    this.#target = targetOf(url);
    url.port = String((listener.address() as AddressInfo).port);
    this.url = url.href.replace(/^(redis:.*)\/$/, '$1');
    this.#listener = listener.on('connection', (client: Socket) => this.#accept(client));
  }

  restore(): void {
    this.#change({ kind: 'none' });
  }

  /** New connections lead to another server; those that are open stay where they are. */
  leadTo(targetUrl: string): void {
    this.#target = targetOf(new URL(targetUrl));
  }

  delay(delayMs: number): void {
    this.#change({ kind: 'delay', delayMs });
  }

  /**
   * Accepts connections and discards all bytes. A connection that has lost bytes stays silent after `restore` too: it
   * is not even closed.
   */
  silence(): void {
    this.#change({ kind: 'silence' });
  }

  /** Discards all bytes of the connections that are open now, as a firewall does that has forgotten them. New ones work. */
  forget(): void {
    for (const link of this.#links) link.lost = true;
  }

  reset(): void {
    this.#change({ kind: 'reset' });
    for (const link of this.#links) resetLink(link);
  }

  /** Closes the next connection that receives more than this many bytes, then restores the proxy. */
  cutAfter(afterBytes: number): void {
    this.#change({ kind: 'cut', afterBytes });
  }

  /**
   * Closes the next connection that would receive these characters, instead of sending them, then restores the proxy.
   * @param after what the connection must have received before: it tells one use of the server from another
   */
  cutInsteadOf(pattern: string, after = ''): void {
    this.#change({ kind: 'cut', afterBytes: 0, pattern, after });
  }

  /** The number of connections that `cutAfter` and `cutInsteadOf` have closed. */
  get cuts(): number {
    return this.#cuts;
  }

  /** The number of open connections from which bytes were discarded. */
  get swallowing(): number {
    return [...this.#links].filter(({ discardedBytes }) => discardedBytes > 0).length;
  }

  /** Parses requests as HTTP and responds to some of them itself. */
  intercept(intercept: Interceptor): void {
    this.#change({ kind: 'intercept', intercept });
    for (const link of this.#links) resetLink(link);
  }

  async close(): Promise<void> {
    for (const link of this.#links) resetLink(link);
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #change(fault: Fault): void {
    this.#fault = fault;
    this.#http.closeAllConnections();
    for (const link of this.#links) Object.assign(link, { receivedBytes: 0, received: '' });
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#fault.kind === 'reset') client.resetAndDestroy();
    else if (this.#fault.kind === 'intercept') this.#http.emit('connection', client);
    else this.#link(client);
  }

  #link(client: Socket): void {
    const lost = this.#fault.kind === 'silence';
    const link: Link = {
      client,
      server: lost ? undefined : connect(this.#target),
      lost,
      discardedBytes: 0,
      receivedBytes: 0,
      received: '',
    };
    this.#links.add(link);
    client.on('data', (bytes) => this.#forwardBytes(link, bytes, () => link.server?.write(bytes)));
    client.on('close', () => this.#end(link));
    link.server?.on('data', (bytes) => this.#forwardResponse(link, bytes));
    link.server?.on('error', () => link.lost || client.resetAndDestroy());
    link.server?.on('close', () => this.#later(() => link.lost || client.end()));
  }

  #end(link: Link): void {
    this.#links.delete(link);
    link.server?.destroy();
  }

  #forwardBytes(link: Link, bytes: Buffer, pass: () => void): void {
    if (this.#fault.kind === 'silence') link.lost = true;
    if (link.lost) link.discardedBytes += bytes.length;
    else if (bytes.length > 0) this.#later(pass);
  }

  #forwardResponse(link: Link, bytes: Buffer): void {
    const allowed = this.#allowedBytes(link, bytes);
    link.receivedBytes += bytes.length;
    if (this.#fault.kind === 'cut') link.received += bytes.toString('latin1');
    this.#forwardBytes(link, bytes, () => link.client.write(bytes.subarray(0, allowed)));
    if (allowed < bytes.length) this.#cut(link);
  }

  #allowedBytes(link: Link, bytes: Buffer): number {
    if (this.#fault.kind !== 'cut') return bytes.length;
    const { pattern, after = '', afterBytes } = this.#fault;
    if (pattern !== undefined) return bytes.includes(pattern) && link.received.includes(after) ? 0 : bytes.length;
    return Math.max(Math.min(afterBytes - link.receivedBytes, bytes.length), 0);
  }

  #cut(link: Link): void {
    this.#cuts += 1;
    this.#fault = { kind: 'none' };
    link.lost = true;
    // Closed, not reset: after a reset, the client could discard the part of the response that was forwarded.
    link.client.end();
    link.server?.destroy();
  }

  #later(step: () => void): void {
    if (this.#fault.kind === 'delay') setTimeout(step, this.#fault.delayMs);
    else step();
  }

  async #interceptHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const received = { method: request.method ?? '', path: request.url ?? '', body: body.toString() };
    const instead = this.#fault.kind === 'intercept' ? this.#fault.intercept(received) : undefined;
    if (instead === undefined) return this.#forward(request, body, response);
    // Elasticsearch names itself in each response.
    const product = IS_OPENSEARCH ? {} : { 'x-elastic-product': 'Elasticsearch' };
    response.writeHead(instead.status, { 'content-type': 'application/json', ...product });
    response.end(JSON.stringify(instead.body));
  }

  #forward({ method, url, headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const forwarded = httpRequest({ ...this.#target, method, path: url, headers }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      incoming.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end(body);
  }
}

function targetOf(url: URL): { host: string; port: number } {
  return { host: url.hostname, port: Number(url.port) };
}

function resetLink(link: Link): void {
  // The handle of a socket that is about to end stays open for ever if it is reset.
  if (link.client.writableEnded) link.client.destroy();
  else link.client.resetAndDestroy();
  link.server?.destroy();
}
