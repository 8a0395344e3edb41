import type { ServerResponse } from 'node:http';
import { CallerGone } from '../caller-gone.ts';
import type { ApiMiddleware } from '../state.ts';
import { tooManyRequests, type Traffic } from '../traffic/traffic.ts';
import { NoSlot } from '../traffic/user-slots.ts';

/** Bounds the requests of one user that are worked on at a time. Further ones wait here; their bodies are not read meanwhile. */
export function limitRequests({ slots, users }: Pick<Traffic, 'slots' | 'users'>): ApiMiddleware {
  return async (ctx, next) => {
    users.called(ctx.state.caller.userId);
    ctx.state.callerGone = closed(ctx.res);
    const release = await slots.take(ctx.state.caller.userId, ctx.state.callerGone).catch((error: unknown) => {
      throw error instanceof NoSlot ? tooManyRequests() : error;
    });
    ctx.state.releaseSlot = release;
    await next().finally(release);
  };
}

/** Aborted when the connection closes before the answer has been sent. */
function closed(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) gone.abort(new CallerGone('the caller has closed the connection'));
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return gone.signal;
}
