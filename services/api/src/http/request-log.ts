import type { Log } from '@ugc/shared/process/log';
import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Histogram } from 'prom-client';

export type LoggedState = {
  requestId: string;
  traceId?: string | undefined;
  /** The path of the endpoint or file that responded, such as `/api/content/:id`. */
  route?: string;
  user?: { userId: number | undefined; limitKey: number };
};

type RequestLogDeps = { log: Log; metrics: { requestDuration: Histogram<'method' | 'route' | 'status'> } };

const REQUEST_ID = /^[\w-]{1,64}$/;
// Node accepts more than thirty methods, and each would add a time series per route.
const COUNTED_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Logs and counts every request without its contents. Uses the client's X-Request-Id if its format is safe. */
export function requestLog({ log, metrics }: RequestLogDeps): Middleware<LoggedState> {
  return async (ctx, next) => {
    const given = ctx.get('x-request-id');
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    const startedAt = performance.now();
    await next();
    const seconds = (performance.now() - startedAt) / 1_000;
    const { user, traceId, route = 'none' } = ctx.state;
    const method = COUNTED_METHODS.has(ctx.method) ? ctx.method : 'other';
    metrics.requestDuration.observe({ method, route, status: ctx.status }, seconds);
    log.info(
      {
        requestId,
        traceId,
        method: ctx.method,
        route,
        status: ctx.status,
        durationMs: Math.round(seconds * 1_000),
        userId: user?.userId,
        // Reads do not look up the user of an account.
        ...(user && user.userId === undefined && { limitKey: user.limitKey }),
      },
      'request',
    );
  };
}
