import type Koa from 'koa';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import type { ApiEnv } from './env.ts';
import { slowestBodyMs } from './http/read-body.ts';
import { answerInvalidHttp } from './http/answer-invalid-http.ts';
import type { State } from './state.ts';
import type { Connections } from './traffic/connections.ts';

export type ApiServer = { port: number; close(): Promise<void> };
export type ListenOptions = {
  env: Pick<ApiEnv, 'BIND_ADDRESS' | 'PORT' | 'BODY_MAX_BYTES'>;
  connections: Connections;
  onDrop: () => void;
};

// Node looks for requests that take too long every 30 s unless told otherwise.
const TIMEOUTS = { headersTimeout: 10_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 5_000 };
/** A connection on which nothing moves: its caller does not read the answer. */
const SILENT_TIMEOUT_MS = 60_000;
const CLOSE_IDLE_EVERY_MS = 300;

/** Listens, with a limit on how many connections there are, and on how long each may take for each part of its work. */
export async function listen(app: Koa<State>, options: ListenOptions): Promise<ApiServer> {
  const { env, connections } = options;
  const handle = app.callback();
  const onRequest = (request: IncomingMessage, response: ServerResponse<IncomingMessage>): void => {
    connections.began(request, response);
    void handle(request, response);
  };
  // A body that arrives too slowly is refused by who reads it; this is for one that nobody reads.
  const requestTimeout = TIMEOUTS.headersTimeout + slowestBodyMs(env.BODY_MAX_BYTES);
  const server = createServer({ ...TIMEOUTS, requestTimeout }, onRequest);
  server.setTimeout(SILENT_TIMEOUT_MS);
  // A body that is going to be refused is not asked for: whoever reads it says 100 Continue.
  server.on('checkContinue', onRequest);
  server.on('clientError', (error, socket) => void answerInvalidHttp(error, socket as Socket, connections.answersOf(socket as Socket)));
  limitConnections(server, options);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(env.PORT, env.BIND_ADDRESS, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function limitConnections(server: Server, { connections, onDrop }: ListenOptions): void {
  server.maxConnections = connections.limit;
  server.on('connection', (socket: Socket) => connections.opened(socket));
  server.on('drop', onDrop);
  // Once what has arrived is read: a request that waits in the socket does not make its connection busy.
  const closing = setInterval(() => setImmediate(() => connections.closeIdle()), CLOSE_IDLE_EVERY_MS);
  server.once('close', () => clearInterval(closing));
}

const CLOSE_ALL_AFTER_MS = 12_000;

/**
 * Lets requests that are under way finish. A busy connection ends with an answer that says so: closed between two requests, it
 * would reset the one that is on its way. A connection is closed when it is idle, and at last when it never was.
 */
async function close(server: Server): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  const idle = setInterval(() => setImmediate(() => server.closeIdleConnections()), CLOSE_IDLE_EVERY_MS);
  const all = setTimeout(() => server.closeAllConnections(), CLOSE_ALL_AFTER_MS);
  // An HTTP server's own close would close idle connections at once.
  await new Promise<void>((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
  clearInterval(idle);
  clearTimeout(all);
}
