import type { IncomingMessage } from 'node:http';
import type { ApiMiddleware } from '../state.ts';

const DISCARDED_MAX_BYTES = 32 * 1_024 * 1_024;
const DISCARD_FOR_MS = 30_000;

/**
 * An answer may be given before the whole body has arrived. Clients that write before they read would see a broken pipe instead of it
 * if the connection were closed, so what still arrives is read and dropped, within limits.
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
  // A body that was read in part stays paused otherwise.
  request.resume();
}
