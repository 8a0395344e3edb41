import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import type { Log } from '@ugc/shared/process/log';
import { serveOperations } from '@ugc/shared/process/operations-server';
import type { InspectDeps } from '@ugc/shared/ownership/inspect-indices';
import { describeItem, readItem } from '@ugc/shared/status/item';
import { BacklogHistory } from './backlog-history.ts';
import Koa, { type Context, type Middleware } from 'koa';
import type { Registry } from 'prom-client';
import type { ApiEnv } from '../env.ts';
import { htmlPage } from '../http/pages/html-page.ts';
import { serveFiles } from '../http/pages/static-file.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { createStatusReader, type StatusSources } from './read-status.ts';

const STATUS_PATH = '/status';
/** With `?id=17`. */
const ITEM_PATH = '/item';
const ITEM_ID = /^[1-9]\d{0,15}$/;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const FORBIDDEN_HOST = 'This page is available under the host names localhost, 127.0.0.1 and [::1], and those in OPERATIONS_HOSTS.\n';

type OperationsDeps = Omit<StatusSources, 'history' | 'showsInsights' | 'showsEmbeddings'> & { env: ApiEnv; registry: Registry };

/** No route of this port changes anything: operators use the commands. */
export async function startOperations({ env, registry, ...sources }: OperationsDeps): Promise<{ port: number; close(): Promise<void> }> {
  const history = new BacklogHistory(sources.backlog);
  const shown = { showsInsights: env.SEARCH_INSIGHTS, showsEmbeddings: env.EMBEDDINGS_URL !== undefined };
  const readStatus = createStatusReader({ ...sources, ...shown, history });
  const files = htmlPage({ name: 'operations', path: '/', title: 'Operations', settings: {} });
  const app = new Koa();
  app.use(securityHeaders());
  app.use(protect([STATUS_PATH, ITEM_PATH, ...files.map(({ path }) => path)], env.OPERATIONS_HOSTS, sources.log));
  app.use(serveFiles(files));
  app.use((ctx) => sendJson(ctx, () => (ctx.path === ITEM_PATH ? readItemLines(sources, String(ctx.query['id'])) : readStatus())));
  const handle = app.callback();
  const server = await serveOperations({
    address: env.BIND_ADDRESS,
    port: env.OPERATIONS_PORT,
    registry,
    isLive: sources.isLive,
    log: sources.log,
    otherwise: (request, response) => void handle(request, response),
  });
  history.start();
  return { port: server.port, close: () => server.close().then(() => history.stop()) };
}

/** Refuses other paths and other hosts. A defect of the page does not end the process. */
function protect(paths: string[], hosts: string[], log: Log): Middleware {
  return async (ctx, next) => {
    if (!paths.includes(ctx.path)) return plainText(ctx, 404, 'not found; available: /, /status, /item, /metrics, /health/live\n');
    if (!isAllowedHost(ctx.get('host'), hosts)) return plainText(ctx, 403, FORBIDDEN_HOST);
    try {
      await next();
    } catch (err) {
      log.error({ err }, 'request to the operations port failed');
      plainText(ctx, 500, 'an internal error occurred; the log of the API has its cause\n');
    }
  };
}

/** What `npx pnpm index:status --item` prints. */
async function readItemLines(sources: InspectDeps & { log: Log }, id: string): Promise<[label: string, text: string][]> {
  if (!ITEM_ID.test(id)) return [['item', 'the id must be a positive integer']];
  const onError = (err: unknown): void => sources.log.warn({ err, contentId: Number(id) }, 'the index could not be asked for an item');
  return describeItem(await readItem(sources, Number(id), onError));
}

async function sendJson(ctx: Context, read: () => Promise<OperationsStatus | [label: string, text: string][]>): Promise<void> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    ctx.status = 405;
    return ctx.set('Allow', 'GET, HEAD');
  }
  ctx.body = Buffer.from(JSON.stringify(await read()));
  ctx.set('Content-Type', 'application/json');
}

function plainText(ctx: Context, status: number, text: string): void {
  ctx.status = status;
  ctx.body = text;
}

/**
 * Whether the `Host` header names this machine or one of `hosts`, with any port. A web page whose own name resolves to
 * this machine (DNS rebinding) is of the same origin for a browser, and is told apart only by this name.
 */
function isAllowedHost(header: string, hosts: string[]): boolean {
  const [, name = ''] = /^(\[[\d.:a-f]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(header) ?? [];
  return [...LOCAL_HOSTS, ...hosts].some((host) => host.toLowerCase() === name.toLowerCase());
}
