import type { Context } from 'koa';
import type { RateLimits } from '../traffic/rate-limits.ts';
import type { ApiMiddleware } from '../state.ts';

/** Counts what each user asks for, before anything is done for it. */
export function limitRate(rateLimits: RateLimits): ApiMiddleware {
  return async (ctx, next) => {
    await rateLimits.count(limitedAs(ctx), String(ctx.state.user.userId));
    return next();
  };
}

function limitedAs(ctx: Context): 'writes' | 'lists' | 'reads' {
  if (isList(ctx)) return 'lists';
  return READING.has(ctx.method) ? 'reads' : 'writes';
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isList({ method, path }: Pick<Context, 'method' | 'path'>): boolean {
  return READING.has(method) && path === '/api/content';
}
