import type Koa from 'koa';
import { createServer, STATUS_CODES, type Server } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import { SECURITY_HEADERS } from './middleware/security-headers.ts';
import { problemBody, Problem } from './problem.ts';
import type { State } from './state.ts';

export type ApiServer = { port: number; close(): Promise<void> };
export type ListenOptions = { address: string; port: number; maxConnections: number; onDrop: () => void };

// Node looks for requests that take too long every 30 s unless told otherwise.
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 5_000 };
/** A connection on which nothing moves: its caller does not read the answer. */
const SILENT_TIMEOUT_MS = 60_000;

/** Listens, with a limit on how many connections there are, and on how long each may take for each part of its work. */
export async function listen(app: Koa<State>, { address, port, maxConnections, onDrop }: ListenOptions): Promise<ApiServer> {
  const handle = app.callback();
  const server = createServer(TIMEOUTS, (request, response) => void handle(request, response));
  server.setTimeout(SILENT_TIMEOUT_MS);
  server.maxConnections = maxConnections;
  server.on('drop', onDrop);
  // A body that is going to be refused is not asked for: whoever reads it says 100 Continue.
  server.on('checkContinue', (request, response) => void handle(request, response));
  server.on('clientError', refuseUnreadable);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

const CLOSE_IDLE_EVERY_MS = 300;
const CLOSE_ALL_AFTER_MS = 12_000;

/**
 * Lets requests that are under way finish. A busy connection ends with an answer that says so: closed between two requests, it
 * would reset the one that is on its way. A connection is closed when it is idle, and at last when it never was.
 */
async function close(server: Server): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  // Once what has arrived is read: a request that waits in the socket does not make its connection busy.
  const idle = setInterval(() => setImmediate(() => server.closeIdleConnections()), CLOSE_IDLE_EVERY_MS);
  const all = setTimeout(() => server.closeAllConnections(), CLOSE_ALL_AFTER_MS);
  // An HTTP server's own close would close idle connections at once.
  await new Promise<void>((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
  clearInterval(idle);
  clearTimeout(all);
}

const LINGER_MS = 1_000;

// What Node's own parser refuses never reaches Koa; it gets the same kind of answer.
const PARSER_PROBLEMS: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem(431, 'The headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request took too long to arrive.'),
};

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket | (NodeJS.WritableStream & { destroy?: () => void })): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy?.();
  const problem = PARSER_PROBLEMS[error.code ?? ''] ?? new Problem(400, 'The request is not valid HTTP.');
  const body = JSON.stringify(problemBody(problem, '', ''));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // A caller that does not hang up would otherwise keep its connection, and what it has sent of its request.
  setTimeout(() => socket.destroy?.(), LINGER_MS).unref();
}
