import type { Context } from 'koa';
import type { ApiMiddleware } from '../state.ts';
import type { ByteBudget } from '../traffic/byte-budget.ts';

/**
 * Bounds the memory of bodies that are read and worked on. The announced length is reserved before any of the body is read; the bytes of
 * a body without one are reserved as they arrive, by `readJson`.
 */
export function limitUploads(uploads: ByteBudget, bodyMaxBytes: number): ApiMiddleware {
  return async (ctx, next) => {
    const room = uploads.reserve(ctx.state.caller.userId);
    room.add(announcedBytes(ctx, bodyMaxBytes));
    ctx.state.uploadRoom = room;
    await next().finally(room.release);
  };
}

/** Zero for a body that will not be read: one that is announced as too large. */
function announcedBytes(ctx: Context, bodyMaxBytes: number): number {
  if (!['POST', 'PUT', 'PATCH'].includes(ctx.method)) return 0;
  const announced = Number(ctx.get('content-length'));
  return announced > bodyMaxBytes ? 0 : announced;
}
