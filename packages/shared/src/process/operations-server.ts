import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

type OperationsOptions = { address: string; port: number; registry: Registry; isLive: () => boolean };
type OperationsServer = { port: number; close(): Promise<void> };

export async function serveOperations({ address, port, ...sources }: OperationsOptions): Promise<OperationsServer> {
  const server = createServer((request, response) => void respond(request.url, response, sources));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, close };
}

type Sources = Pick<OperationsOptions, 'registry' | 'isLive'>;

async function respond(path: string | undefined, response: ServerResponse, { registry, isLive }: Sources): Promise<void> {
  if (path === '/metrics') return sendMetrics(response, registry);
  if (path === '/health/live') sendLiveness(response, isLive());
  else response.writeHead(404).end('not found; available: /metrics, /health/live\n');
}

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
