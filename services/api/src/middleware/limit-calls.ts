import type { RateLimits } from '../rate-limits.ts';
import type { ApiMiddleware } from '../state.ts';

/** Counts what each user asks for, before anything is done for it. */
export function limitCalls(rateLimits: RateLimits): ApiMiddleware {
  return async (ctx, next) => {
    await rateLimits.count(limitedAs(ctx.method, ctx.path), String(ctx.state.caller.userId));
    return next();
  };
}

function limitedAs(method: string, path: string): 'writes' | 'lists' | 'reads' {
  if (!['GET', 'HEAD', 'OPTIONS'].includes(method)) return 'writes';
  return path === '/api/content' ? 'lists' : 'reads';
}
