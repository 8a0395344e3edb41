import type { Log } from '@ugc/shared/process/log';
import type { IncomingMessage, RequestListener } from 'node:http';
import { SECURITY_HEADERS } from '../http/security-headers.ts';
import { respondWith, type StaticFile, type StaticResponse } from '../pages/static-file.ts';
import { FORBIDDEN_HOST, isAllowedHost } from './allowed-hosts.ts';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';

type OperationsPages = {
  /** The page and what it loads. */
  files: StaticFile[];
  readStatus: () => Promise<OperationsStatus>;
  /** Host names under which the page may be opened, besides those of this machine. */
  hosts: string[];
  log: Log;
};

const STATUS_PATH = '/status';

/** Serves the operators' page and its data. There is no route that changes anything: operators use the commands. */
export function operationsRequests(pages: OperationsPages): RequestListener {
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
