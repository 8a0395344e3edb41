import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import type { Log } from '@ugc/shared/process/log';
import Koa, { type Context, type Middleware } from 'koa';
import type { RequestListener } from 'node:http';
import { serveFiles, type StaticFile } from '../http/pages/static-file.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { FORBIDDEN_HOST, isAllowedHost } from './allowed-hosts.ts';

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
  const app = new Koa();
  app.use(securityHeaders());
  app.use(protect(pages));
  app.use(serveFiles(pages.files));
  app.use((ctx) => sendStatus(ctx, pages.readStatus));
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}

/** Refuses other paths and other hosts. A defect of the page does not end the process. */
function protect({ files, hosts, log }: OperationsPages): Middleware {
  const paths = new Set([STATUS_PATH, ...files.map(({ path }) => path)]);
  return async (ctx, next) => {
    if (!paths.has(ctx.path)) return plainText(ctx, 404, 'not found; available: /, /status, /metrics, /health/live\n');
    if (!isAllowedHost(ctx.get('host'), hosts)) return plainText(ctx, 403, FORBIDDEN_HOST);
    try {
      await next();
    } catch (err) {
      log.error({ err }, 'request to the operations port failed');
      plainText(ctx, 500, 'an internal error occurred; the log of the API has its cause\n');
    }
  };
}

async function sendStatus(ctx: Context, readStatus: OperationsPages['readStatus']): Promise<void> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    ctx.status = 405;
    return ctx.set('Allow', 'GET, HEAD');
  }
  ctx.body = Buffer.from(JSON.stringify(await readStatus()));
  ctx.set('Content-Type', 'application/json');
}

function plainText(ctx: Context, status: number, text: string): void {
  ctx.status = status;
  ctx.body = text;
}
