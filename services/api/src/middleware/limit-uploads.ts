import type { Context } from 'koa';
import type { ApiMiddleware } from '../state.ts';
import type { Traffic } from '../traffic/traffic.ts';

/** Reserves the memory of a body. Without a Content-Length, `readJson` reserves the bytes as they arrive. */
export function limitUploads({ uploads, largeBodies }: Traffic, bodyMaxBytes: number): ApiMiddleware {
  return async (ctx, next) => {
    const { user, disconnected } = ctx.state;
    const reservation = uploads.reserve(user.limitKey);
    const releases = [reservation.release];
    reservation.add(bytesToReserve(ctx, bodyMaxBytes));
    const waitForLargeBodySlot = async () => void releases.push(await largeBodies.acquire(user.limitKey, 'body', disconnected));
    const releaseBody = (): void => releases.splice(0).forEach((release) => release());
    Object.assign(ctx.state, { bodyReservation: reservation, waitForLargeBodySlot, releaseBody });
    await next().finally(releaseBody);
  };
}

/** @returns the Content-Length; 0 for a body that will not be read because it is too large */
function bytesToReserve(ctx: Context, bodyMaxBytes: number): number {
  if (!['POST', 'PUT', 'PATCH'].includes(ctx.method)) return 0;
  const contentLength = Number(ctx.get('content-length'));
  return contentLength > bodyMaxBytes ? 0 : contentLength;
}
