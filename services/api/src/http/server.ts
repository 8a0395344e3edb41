import type { Log } from '@ugc/shared/process/log';
import { SECURITY_HEADERS, startListening } from '@ugc/shared/process/operations-server';
import { throttle } from '@ugc/shared/timing/intervals';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import type Koa from 'koa';
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import type { ApiEnv } from '../env.ts';
import { CountedRequest, longestBodyMs } from './body.ts';
import { Problem, tryAgain } from '@ugc/items/problems/problem';
import { problemBody } from './problem-details.ts';

type ApiServer = { port: number; close(): Promise<void> };
type ListenOptions = {
  env: Pick<ApiEnv, 'BIND_ADDRESS' | 'PORT' | 'BODY_MAX_BYTES'>;
  connections: Connections;
  onDrop: () => void;
  log: Log;
};

/**
 * For a connection without any traffic, such as one that a proxy has opened in advance, or that of a client that does not
 * read its response. Longer than the 60 s after which load balancers usually close a connection: the one that closes
 * first must be the one that sends the requests.
 */
const INACTIVE_TIMEOUT_MS = 65_000;
/** What waits for its turn gets a response before the connection is closed because nothing happens on it. */
export const WAIT_MAX_MS = 50_000;
// By default Node checks for timed-out requests only every 30 s.
const TIMEOUTS = { headersTimeout: 10_000, keepAliveTimeout: INACTIVE_TIMEOUT_MS, connectionsCheckingInterval: 5_000 };
/** So long after its last response, a connection has a header that is complete or has timed out. */
const IDLE_MAX_MS = INACTIVE_TIMEOUT_MS + TIMEOUTS.headersTimeout + TIMEOUTS.connectionsCheckingInterval;

export async function listen<State>(app: Koa<State>, options: ListenOptions): Promise<ApiServer> {
  const { env, connections } = options;
  const handle = app.callback();
  const refused = new WeakSet<Socket>();
  const onRequest = (request: IncomingMessage, response: ServerResponse<IncomingMessage>): void => {
    const { socket } = request;
    if (refused.has(socket)) return;
    if (connections.addRequest(request, response)) {
      leaveOutLongHeaders(request);
      void handle(request, response);
    } else {
      refused.add(socket);
      stopReading(socket);
      options.onDrop();
      void respondToInvalidHttp({ code: TOO_MANY_REQUESTS }, socket, connections.pendingResponses(socket));
    }
  };
  // `readBody` enforces a minimum rate; this timeout is for bodies that no handler reads. A body may wait twice: for its
  // turn to be read, and for memory when it has no Content-Length.
  const requestTimeout = TIMEOUTS.headersTimeout + longestBodyMs(env.BODY_MAX_BYTES) + 2 * WAIT_MAX_MS;
  const server = createServer({ ...TIMEOUTS, requestTimeout, IncomingMessage: CountedRequest }, onRequest);
  server.setTimeout(INACTIVE_TIMEOUT_MS);
  // `readJson` sends 100 Continue, so that no client sends a body that would only get an error response.
  server.on('checkContinue', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Node counts from the opening of a connection until the first byte, and from there on again.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return;
    void respondToInvalidHttp(error, socket, connections.pendingResponses(socket));
  });
  limitConnections(server, options);
  await startListening(server, { port: env.PORT, address: env.BIND_ADDRESS, log: options.log });
  return { port: (server.address() as AddressInfo).port, close: () => close(server, connections) };
}

/** The packet that was received last may contain thousands of requests. Node has no public way to leave them out. */
function stopReading(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  socket.pause();
  if (socket.parser) socket.parser.onIncoming = () => 0;
}

/** Negotiation takes quadratic time. Browsers send some hundred characters. */
const NEGOTIATED_MAX_CHARACTERS = 1_000;

function leaveOutLongHeaders({ headers }: IncomingMessage): void {
  for (const name of ['accept', 'accept-encoding']) if ((headers[name]?.length ?? 0) > NEGOTIATED_MAX_CHARACTERS) headers[name] = '';
}

const REPORT_CLOSED_EVERY_MS = 60_000;

function limitConnections(server: Server, { connections, onDrop, log }: ListenOptions): void {
  const report = throttle(REPORT_CLOSED_EVERY_MS, (limit: number) => log.warn({ limit }, 'connections are closed: no more are accepted'));
  // Before Node's own listener, which would read from a connection that is closed here.
  server.prependListener('connection', (socket: Socket) => {
    if (!connections.add(socket)) return;
    onDrop();
    report(connections.limit);
  });
  const closing = setInterval(() => connections.closeIdle(IDLE_MAX_MS), TIMEOUTS.connectionsCheckingInterval);
  server.once('close', () => clearInterval(closing));
}

const CLOSE_IDLE_EVERY_MS = 300;
/** Before the deadline of the shutdown, which STORE_TIMEOUT_FACTOR multiplies too. */
const CLOSE_ALL_AFTER_MS = storeTimeout(12_000);

/**
 * Lets active requests finish. Responses announce `Connection: close`, because closing a connection between two
 * requests could reset a request that the client is sending.
 */
async function close(server: Server, connections: Connections): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  const closeIdle = (): void => {
    server.closeIdleConnections();
    connections.closeUnused();
  };
  // After pending reads: a request that is still in the socket buffer does not mark its connection as busy.
  const idle = setInterval(() => setImmediate(closeIdle), CLOSE_IDLE_EVERY_MS);
  const all = setTimeout(() => server.closeAllConnections(), CLOSE_ALL_AFTER_MS);
  // `http.Server.close` would close idle connections immediately.
  await new Promise<void>((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
  clearInterval(idle);
  clearTimeout(all);
}

const LINGER_MS = 1_000;

const TOO_MANY_REQUESTS = 'TOO_MANY_REQUESTS';
/** Requests that a client sends before it has the responses to earlier ones are handled at once, although they share one packet. */
const PIPELINED_MAX = 16;

// Errors of Node's HTTP parser do not reach Koa.
const PARSER_PROBLEMS: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'headers-too-large', 'The headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'too-slow', 'The request took too long to arrive.'),
  [TOO_MANY_REQUESTS]: tryAgain(429, 'too-much-at-once', `More than ${PIPELINED_MAX} requests of the connection wait for a response.`),
};

/**
 * Waits until the responses to earlier requests on the connection are sent (RFC 9112, section 9.3.2), and never writes
 * into a response that has begun.
 */
async function respondToInvalidHttp({ code = '' }: { code?: string }, socket: Socket, pendingResponses: Pending): Promise<void> {
  if (code === 'ECONNRESET') return void socket.destroy();
  // Only the last request, the invalid one, can be incomplete.
  const own = pendingResponses.find((response) => !response.req.complete);
  const earlier = pendingResponses.filter((response) => response !== own);
  await Promise.all(earlier.map((response) => once(response, 'close')));
  if (own?.headersSent || !socket.writable) return void socket.destroy();
  socket.end(toHttp(PARSER_PROBLEMS[code] ?? new Problem(400, 'invalid-http', 'The request is not valid HTTP.')));
  // Otherwise a client that does not disconnect would keep the connection and its buffers.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function toHttp(problem: Problem): string {
  const body = JSON.stringify(problemBody(problem, '', ''));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries({ ...SECURITY_HEADERS, ...problem.headers }).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

type Pending = ServerResponse<IncomingMessage>[];
type Connection = { pendingResponses: Pending; idleSinceMs: number };

/**
 * The open connections of this process. Node's `maxConnections` closes the new connection at the limit, so that clients
 * that send no request would keep out those that do.
 */
export class Connections {
  readonly limit: number;
  /** The connection that has been without a request for longest comes first. */
  readonly #open = new Map<Socket, Connection>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Adds a connection. At the limit, the one that has been without a complete request for longest is closed instead.
   * @returns whether a connection was closed: the new one if all others have a request
   */
  add(socket: Socket): boolean {
    const closed = this.count >= this.limit ? (this.#longestIdle() ?? socket) : undefined;
    closed?.destroy();
    if (closed) this.#open.delete(closed);
    if (closed === socket) return true;
    this.#open.set(socket, { pendingResponses: [], idleSinceMs: performance.now() });
    socket.once('close', () => this.#open.delete(socket));
    return closed !== undefined;
  }

  /** @returns whether the request may be handled */
  addRequest({ socket }: IncomingMessage, response: ServerResponse<IncomingMessage>): boolean {
    const connection = this.#open.get(socket);
    if (!connection || socket.destroyed || connection.pendingResponses.length >= PIPELINED_MAX) return false;
    connection.pendingResponses.push(response);
    response.once('close', () => {
      connection.pendingResponses = connection.pendingResponses.filter((pending) => pending !== response);
      connection.idleSinceMs = performance.now();
      if (this.#open.delete(socket) && !socket.destroyed) this.#open.set(socket, connection);
    });
    return true;
  }

  /** @returns the responses that are not sent yet, in the order of their requests */
  pendingResponses(socket: Socket): Pending {
    return this.#open.get(socket)?.pendingResponses ?? [];
  }

  /** Closes connections that were never used. Node does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes connections without a request for so long. Node's timeouts do not end one on which empty lines keep arriving. */
  closeIdle(afterMs: number): void {
    for (const [socket, { pendingResponses, idleSinceMs }] of this.#open)
      if (pendingResponses.length === 0 && performance.now() - idleSinceMs > afterMs) socket.destroy();
  }

  #longestIdle(): Socket | undefined {
    for (const [socket, { pendingResponses }] of this.#open) if (pendingResponses.length === 0) return socket;
    return undefined;
  }
}
