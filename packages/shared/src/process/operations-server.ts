import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { Registry } from 'prom-client';
import { logRepeated, type Log } from './log.ts';

type OperationsOptions = {
  address: string;
  port: number;
  registry: Registry;
  isLive: () => boolean;
  log: Log;
  /** Responds to requests for other paths; the default is 404. */
  otherwise?: RequestListener;
};
type OperationsServer = { port: number; close(): Promise<void> };

export async function serveOperations({ address, port, otherwise = notFound, ...sources }: OperationsOptions): Promise<OperationsServer> {
  const server = createServer((request, response) => {
    response.setHeaders(new Map(Object.entries(SECURITY_HEADERS)));
    if (request.url === '/metrics') void sendMetrics(response, sources.registry);
    else if (request.url === '/health/live') sendLiveness(response, sources.isLive());
    else otherwise(request, response);
  });
  await startListening(server, { port, address, log: sources.log });
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, close };
}

/**
 * Later, an error of the server is a connection that could not be accepted, for example because the process has too many
 * open files. It is logged.
 * @throws why the server cannot listen
 */
export async function startListening(server: Server, { port, address, log }: { port: number; address: string; log: Log }): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  const warn = logRepeated((failure) => log.warn(failure, 'a connection could not be accepted'));
  server.on('error', warn);
}

const notFound: RequestListener = (_, response) => {
  response.writeHead(404).end('not found; available: /metrics, /health/live\n');
};

function sendLiveness(response: ServerResponse, live: boolean): void {
  response.writeHead(live ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify({ status: live ? 'live' : 'wedged' }));
}

async function sendMetrics(response: ServerResponse, registry: Registry): Promise<void> {
  try {
    const body = await registry.metrics();
    response.setHeader('content-type', registry.contentType).end(body);
  } catch {
    response.writeHead(500).end('the metrics could not be collected\n');
  }
}

/** Sent with every response: responses are private data and not documents. A route may allow more. */
export const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
