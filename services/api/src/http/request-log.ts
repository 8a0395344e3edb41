import type { SpanContext } from '@opentelemetry/api';
import type { Log } from '@ugc/shared/process/log';
import { inSpan, isTracing, markFailed, parseTraceparent } from '@ugc/shared/tracing/spans';
import type { Context, Middleware, Next } from 'koa';
import { randomUUID } from 'node:crypto';
import type { Histogram } from 'prom-client';
import { isFault, type ProblemCode } from '@ugc/items/problems/problem-kinds';

export type LoggedState = {
  requestId: string;
  traceId?: string | undefined;
  /** The path of the endpoint or file that responded, such as `/api/content/:id`. */
  route?: string;
  /** The kind of the error with which the request ended. */
  kind?: ProblemCode;
  user?: { userId: number | undefined; limitKey: number };
};

type Response = { method: string; route: string; status: number };

type RequestLogDeps = {
  log: Log;
  metrics: {
    requestDuration: Histogram<'method' | 'route' | 'status' | 'kind'>;
    requests: { count(response: Response & { isFault: boolean }): void };
  };
};

const HEALTH = '/health/';
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
    const { user, traceId, kind, route = 'none' } = ctx.state;
    const method = COUNTED_METHODS.has(ctx.method) ? ctx.method : 'other';
    const response = { method, route, status: ctx.status };
    count(metrics, response, { kind, seconds });
    // Probes come every few seconds.
    const isProbe = ctx.path.startsWith(HEALTH) && ctx.status < 400;
    log[isProbe ? 'debug' : 'info'](
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

type Ended = { kind: ProblemCode | undefined; seconds: number };

/** Only what is no fault of the service has the label `kind`, so that the alerts on errors can leave it out. */
function count({ requestDuration, requests }: RequestLogDeps['metrics'], response: Response, { kind, seconds }: Ended): void {
  const refusal = kind !== undefined && !isFault(kind) ? { kind } : undefined;
  requestDuration.observe({ ...response, ...refusal }, seconds);
  requests.count({ ...response, isFault: refusal === undefined });
}

/**
 * Makes a span of each request, in the trace of the client if there is a valid `traceparent` (W3C Trace Context). Its
 * `tracestate` is not read: it is a text of the client. The log has the client's trace id also if nothing is traced.
 */
export function traceRequest(): Middleware<LoggedState> {
  return (ctx, next) => {
    const header = ctx.get('traceparent');
    const parent = header === '' ? undefined : parseTraceparent(header);
    if (parent) ctx.state.traceId = parent.traceId;
    // Orchestrators check the health every few seconds.
    return isTracing() && !ctx.path.startsWith(HEALTH) ? inRequestSpan(ctx, parent, next) : next();
  };
}

async function inRequestSpan(ctx: Context & { state: LoggedState }, parent: SpanContext | undefined, next: Next): Promise<void> {
  await inSpan(ctx.method, { kind: 'SERVER', parent, isRoot: true }, async (span) => {
    ctx.state.traceId = span?.spanContext().traceId;
    await next();
    const { requestId, route = 'none' } = ctx.state;
    span?.updateName(`${ctx.method} ${route}`);
    span?.setAttributes({
      'http.request.method': ctx.method,
      'http.route': route,
      'http.response.status_code': ctx.status,
      'ugc.request_id': requestId,
    });
    if (ctx.status >= 500) markFailed(span);
  });
}
