import type { ApiMiddleware } from '../state.ts';

const READS = new Set(['HEAD', 'GET']);

/** Without it, the routes of `/api/content/:id` would also match these paths, with `facets` as the id of an item. */
export function onlyReads(paths: string[]): ApiMiddleware {
  return async (ctx, next) => {
    if (!paths.includes(ctx.path) || READS.has(ctx.method)) return next();
    ctx.set('Allow', [...READS].join(', '));
    if (ctx.method === 'OPTIONS') ctx.body = '';
    else ctx.status = 405;
  };
}
