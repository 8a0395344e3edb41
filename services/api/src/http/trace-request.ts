import { SpanKind, SpanStatusCode, type SpanContext } from '@opentelemetry/api';
import { inSpan, isTracing } from '@ugc/shared/tracing/spans';
import { parseTraceparent } from '@ugc/shared/tracing/traceparent';
import type { Context, Middleware, Next } from 'koa';
import type { LoggedState } from './request-log.ts';

type RequestContext = Context & { state: LoggedState };

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
    return isTracing() && !ctx.path.startsWith('/health/') ? inRequestSpan(ctx, parent, next) : next();
  };
}

async function inRequestSpan(ctx: RequestContext, parent: SpanContext | undefined, next: Next): Promise<void> {
  await inSpan(ctx.method, { kind: SpanKind.SERVER, parent, isRoot: true }, async (span) => {
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
    if (ctx.status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
  });
}
