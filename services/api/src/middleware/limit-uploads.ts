import type { Context } from 'koa';
import type { ApiMiddleware } from '../state.ts';
import type { Traffic } from '../traffic/traffic.ts';

/**
 * Bounds the memory of bodies that are read and worked on. The announced length is reserved before any of the body is read; the bytes of
 * a body without one are reserved as they arrive, by `readJson`. Large bodies of one user are worked on one after the other.
 */
export function limitUploads({ uploads, largeBodies }: Traffic, bodyMaxBytes: number): ApiMiddleware {
  return async (ctx, next) => {
    const { user, disconnected } = ctx.state;
    const room = uploads.reserve(user.userId);
    const held = [room.release];
    room.add(announcedBytes(ctx, bodyMaxBytes));
    ctx.state.bodyReservation = room;
    ctx.state.waitForLargeBodySlot = async () => void held.push(await largeBodies.take(user.userId, 'body', disconnected));
    ctx.state.releaseBody = () => {
      for (const release of held.splice(0)) release();
    };
    await next().finally(ctx.state.releaseBody);
  };
}

/** Zero for a body that will not be read: one that is announced as too large. */
function announcedBytes(ctx: Context, bodyMaxBytes: number): number {
  if (!['POST', 'PUT', 'PATCH'].includes(ctx.method)) return 0;
  const announced = Number(ctx.get('content-length'));
  return announced > bodyMaxBytes ? 0 : announced;
}
