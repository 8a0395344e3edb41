import type { Context } from 'koa';
import type { RateLimits } from '../traffic/rate-limits.ts';
import type { ApiMiddleware } from '../state.ts';

export function limitRate(rateLimits: RateLimits): ApiMiddleware {
  return async (ctx, next) => {
    await rateLimits.count(rateLimitOf(ctx), String(ctx.state.user.limitKey));
    return next();
  };
}

function rateLimitOf(ctx: Context): 'writes' | 'lists' | 'suggestions' | 'reads' {
  if (isList(ctx)) return 'lists';
  if (isSuggestion(ctx)) return 'suggestions';
  return SAFE_METHODS.has(ctx.method) ? 'reads' : 'writes';
}

const LIST_PATHS = new Set(['/api/content', '/api/content/facets']);
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isList({ method, path }: Pick<Context, 'method' | 'path'>): boolean {
  return SAFE_METHODS.has(method) && LIST_PATHS.has(path);
}

export function isSuggestion({ method, path }: Pick<Context, 'method' | 'path'>): boolean {
  return SAFE_METHODS.has(method) && path === '/api/content/suggest';
}
