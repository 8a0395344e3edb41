import type { Context } from 'koa';
import type { ApiMiddleware } from '../state.ts';
import { tooManyUnreadBytes, type Traffic } from '../traffic/traffic.ts';

export function limitUnreadResponses({ limitBytes, totals }: Traffic['unread']): ApiMiddleware {
  return async (ctx, next) => {
    const { limitKey } = ctx.state.user;
    if (totals.of(limitKey) >= limitBytes) throw tooManyUnreadBytes(limitBytes);
    await next();
  };
}

/** Must run before `handleErrors` in the stack, so that error bodies are counted too. */
export function countUnreadResponses({ totals }: Traffic['unread']): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    const limitKey = (ctx.state as Partial<typeof ctx.state>).user?.limitKey;
    if (limitKey === undefined || ctx.res.closed) return;
    const bytes = serializeBody(ctx);
    totals.add(limitKey, bytes);
    ctx.res.once('close', () => totals.add(limitKey, -bytes));
  };
}

/** Serializes a JSON body, because its size is not known before. @returns the size in bytes */
function serializeBody(ctx: Context): number {
  if (isPlainObject(ctx.body)) ctx.body = JSON.stringify(ctx.body);
  // Koa's types do not declare that the length may be undefined.
  return (ctx.response as { length?: number }).length ?? 0;
}

function isPlainObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body);
}
