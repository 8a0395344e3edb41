import type { Context } from 'koa';
import type { ApiEnv } from '../env.ts';
import { Problem } from '../problem.ts';
import type { ApiMiddleware } from '../state.ts';

type UploadLimits = Pick<ApiEnv, 'BODY_MAX_BYTES' | 'UPLOADS_IN_FLIGHT_MAX_BYTES'>;

/** Bounds the memory of bodies that are read and worked on at a time. One that finds no room is refused before any of it is read. */
export function limitUploads({ BODY_MAX_BYTES: bodyMaxBytes, UPLOADS_IN_FLIGHT_MAX_BYTES: maxBytes }: UploadLimits): ApiMiddleware {
  let inFlightBytes = 0;
  return async (ctx, next) => {
    const bytes = bytesToRead(ctx, bodyMaxBytes);
    if (inFlightBytes + bytes > maxBytes) {
      throw new Problem(503, 'Too much is being uploaded at the moment. Nothing was stored; please try again.', {
        headers: { 'Retry-After': '1' },
      });
    }
    inFlightBytes += bytes;
    let room = bytes;
    ctx.state.bodyDone = () => {
      inFlightBytes -= room;
      room = 0;
    };
    await next().finally(ctx.state.bodyDone);
  };
}

/** What a body of unknown length may become; one that is announced as too large is not read. */
function bytesToRead(ctx: Context, bodyMaxBytes: number): number {
  if (!['POST', 'PUT', 'PATCH'].includes(ctx.method)) return 0;
  if (ctx.get('transfer-encoding') !== '') return bodyMaxBytes;
  const announced = Number(ctx.get('content-length'));
  return announced > bodyMaxBytes ? 0 : announced;
}
