import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export type OperationsOptions = { address: string; port: number; registry: Registry };
export type OperationsServer = { port: number; close(): Promise<void> };

/** What operators and orchestrators ask, on a port of its own: `/health/live`, and `/metrics` in Prometheus' text format. */
export async function serveOperations({ address, port, registry }: OperationsOptions): Promise<OperationsServer> {
  const server = createServer((request, response) => void answer(request.url, response, registry));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, close };
}

async function answer(path: string | undefined, response: ServerResponse, registry: Registry): Promise<void> {
  if (path === '/metrics') return sendMetrics(response, registry);
  if (path === '/health/live') response.setHeader('content-type', 'application/json').end('{"status":"live"}');
  else response.writeHead(404).end('try /metrics or /health/live\n');
}

async function sendMetrics(response: ServerResponse, registry: Registry): Promise<void> {
  try {
    const body = await registry.metrics();
    response.setHeader('content-type', registry.contentType).end(body);
  } catch {
    response.writeHead(500).end('the metrics could not be collected\n');
  }
}
