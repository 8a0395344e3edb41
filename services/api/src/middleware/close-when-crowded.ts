import type { ApiMiddleware } from '../state.ts';
import type { Connections } from '../traffic/connections.ts';

/** Asks callers to give up their connections while there are nearly too many: a kept one may lie idle for a minute. */
export function closeWhenCrowded(connections: Connections): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    // While the body is still arriving, closing would break the pipe of a caller that does not read yet.
    if (connections.isCrowded() && ctx.req.complete) ctx.set('Connection', 'close');
  };
}
