import type Koa from 'koa';
import { createServer, STATUS_CODES, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { problemBody, Problem } from './problem.ts';
import type { State } from './state.ts';

export type ApiServer = { port: number; close(): Promise<void> };

/** Listens, with a limit on how long a connection may take for each part of its work. */
export async function listen(app: Koa<State>, port: number): Promise<ApiServer> {
  const handle = app.callback();
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
    (request, response) => void handle(request, response),
  );
  // A body that is going to be refused is not asked for: whoever reads it says 100 Continue.
  server.on('checkContinue', (request, response) => void handle(request, response));
  server.on('clientError', refuseUnreadable);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

/** Lets requests that are under way finish; idle connections are closed at once. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

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
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
