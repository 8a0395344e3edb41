import type { ApiMiddleware } from '../state.ts';
import type { Connections } from '../traffic/connections.ts';

export function closeWhenCrowded(connections: Connections): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    // A client that is still sending its body would get a connection reset instead of the response.
    if (connections.isCrowded() && ctx.req.complete) ctx.set('Connection', 'close');
  };
}
