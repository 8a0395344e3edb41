import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

type OperationsOptions = {
  address: string;
  port: number;
  registry: Registry;
  isLive: () => boolean;
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
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, close };
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
