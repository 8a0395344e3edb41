import { serveOperations } from '@ugc/shared/process/operations-server';
import type { Registry } from 'prom-client';
import type { ApiEnv } from '../env.ts';
import { BacklogHistory } from './backlog-history.ts';
import { createStatusReader, type StatusSources } from './read-status.ts';
import { htmlPage } from '../pages/html-page.ts';
import type { Log } from '@ugc/shared/process/log';
import type { IncomingMessage, RequestListener } from 'node:http';
import { SECURITY_HEADERS } from '../http/security-headers.ts';
import { respondWith, type StaticFile, type StaticResponse } from '../pages/static-file.ts';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';

const STATUS_PATH = '/status';
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const FORBIDDEN_HOST = 'This page is available under the host names localhost, 127.0.0.1 and [::1], and those in OPERATIONS_HOSTS.\n';

type OperationsDeps = Omit<StatusSources, 'history'> & { env: ApiEnv; registry: Registry };

/** Starts the server of the operations port: metrics, liveness, the operators' page and the data that it shows. */
export async function startOperations({ env, registry, ...sources }: OperationsDeps): Promise<{ port: number; close(): Promise<void> }> {
  const history = new BacklogHistory(sources.backlog);
  const otherwise = operationsRequests({
    files: htmlPage({ name: 'operations', path: '/', title: 'Operations', settings: {} }),
    readStatus: createStatusReader({ ...sources, history }),
    hosts: env.OPERATIONS_HOSTS,
    log: sources.log,
  });
  const { isLive } = sources;
  const server = await serveOperations({ address: env.BIND_ADDRESS, port: env.OPERATIONS_PORT, registry, isLive, otherwise });
  history.start();
  const close = async (): Promise<void> => {
    await server.close();
    await history.stop();
  };
  return { port: server.port, close };
}

type OperationsPages = {
  /** The page and what it loads. */
  files: StaticFile[];
  readStatus: () => Promise<OperationsStatus>;
  /** Host names under which the page may be opened, besides those of this machine. */
  hosts: string[];
  log: Log;
};

/** Serves the operators' page and its data. There is no route that changes anything: operators use the commands. */
function operationsRequests(pages: OperationsPages): RequestListener {
  return (request, response) => {
    void respond(pages, request)
      // A defect of the page must not end the process.
      .catch((err: unknown) => {
        pages.log.error({ err }, 'request to the operations port failed');
        return plainText(500, 'an internal error occurred; the log of the API has its cause\n');
      })
      .then(({ status, headers, body }) => response.writeHead(status, { ...SECURITY_HEADERS, ...headers }).end(body));
  };
}

async function respond({ files, readStatus, hosts }: OperationsPages, request: IncomingMessage): Promise<StaticResponse> {
  const [path] = (request.url ?? '').split('?', 1);
  const file = files.find((candidate) => candidate.path === path);
  if (!file && path !== STATUS_PATH) return plainText(404, 'not found; available: /, /status, /metrics, /health/live\n');
  if (!isAllowedHost(request.headers.host, hosts)) return plainText(403, FORBIDDEN_HOST);
  if (file) return respondWith(file, request);
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, headers: { Allow: 'GET, HEAD' } };
  const body = Buffer.from(JSON.stringify(await readStatus()));
  return { status: 200, headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }, body };
}

function plainText(status: number, text: string): StaticResponse {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: Buffer.from(text) };
}

/**
 * Whether the `Host` header names this machine or one of `hosts`, with any port. A web page whose own name resolves to
 * this machine (DNS rebinding) is of the same origin for a browser, and is told apart only by this name.
 */
function isAllowedHost(header: string | undefined, hosts: string[]): boolean {
  const [, name = ''] = /^(\[[\d.:a-f]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  return [...LOCAL_HOSTS, ...hosts].includes(name.toLowerCase());
}
