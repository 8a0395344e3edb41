import type { Context } from 'koa';
import type { ApiMiddleware } from '../state.ts';
import type { Traffic } from '../traffic/traffic.ts';

/** Reserves the memory of a body. Without a Content-Length, `readJson` reserves the bytes as they arrive. */
export function limitUploads({ uploads, largeBodies }: Traffic, bodyMaxBytes: number): ApiMiddleware {
  return async (ctx, next) => {
    const { user, disconnected } = ctx.state;
    const reservation = uploads.reserve(user.userId);
    const releases = [reservation.release];
    reservation.add(bytesToReserve(ctx, bodyMaxBytes));
    ctx.state.bodyReservation = reservation;
    ctx.state.waitForLargeBodySlot = async () => void releases.push(await largeBodies.acquire(user.userId, 'body', disconnected));
    ctx.state.releaseBody = () => {
      for (const release of releases.splice(0)) release();
    };
    await next().finally(ctx.state.releaseBody);
  };
}

/** @returns the Content-Length; 0 for a body that will not be read because it is too large */
function bytesToReserve(ctx: Context, bodyMaxBytes: number): number {
  if (!['POST', 'PUT', 'PATCH'].includes(ctx.method)) return 0;
  const contentLength = Number(ctx.get('content-length'));
  return contentLength > bodyMaxBytes ? 0 : contentLength;
}
