import type { Log } from '@ugc/shared/process/log';
import { randomUUID } from 'node:crypto';
import type { ApiMetrics } from '../operators/metrics.ts';
import type { ApiMiddleware, State } from '../state.ts';

const REQUEST_ID = /^[\w-]{1,64}$/;
// Node accepts more than thirty methods, and each would add a time series per route.
const COUNTED_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Logs and counts every request without its contents. Uses the client's X-Request-Id if its format is safe. */
export function requestLog({ log, metrics }: { log: Log; metrics: ApiMetrics }): ApiMiddleware {
  return async (ctx, next) => {
    const given = ctx.get('x-request-id');
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    const startedAt = performance.now();
    await next();
    const seconds = (performance.now() - startedAt) / 1_000;
    const route = String((ctx as { _matchedRoute?: unknown })._matchedRoute ?? 'none');
    const method = COUNTED_METHODS.has(ctx.method) ? ctx.method : 'other';
    metrics.requestDuration.observe({ method, route, status: ctx.status }, seconds);
    const { user } = ctx.state as Partial<State>;
    log.info(
      {
        requestId,
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
