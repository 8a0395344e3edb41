import type { IncomingMessage } from 'node:http';
import type { ApiMiddleware } from '../state.ts';

const DISCARDED_MAX_BYTES = 32 * 1_024 * 1_024;
const DISCARD_FOR_MS = 30_000;

/**
 * Discards the rest of a body, within limits, when the response was sent earlier. If the connection were closed,
 * clients that send the complete body before they read would get a connection reset instead of the response.
 */
export function discardUnreadBody(): ApiMiddleware {
  return async (ctx, next) => {
    await next();
    if (!ctx.req.complete && !ctx.res.closed) discard(ctx.req);
  };
}

function discard(request: IncomingMessage): void {
  let bytes = 0;
  const disconnect = (): void => void request.socket.destroy();
  const deadline = setTimeout(disconnect, DISCARD_FOR_MS).unref();
  const done = (): void => clearTimeout(deadline);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_MAX_BYTES) disconnect();
  });
  request.once('end', done).once('close', done);
  // A partly read body is paused.
  request.resume();
}
