import { isDatabaseOutage } from '@ugc/shared/stores/postgres-errors';
import type { Context } from 'koa';
import type { ServerResponse } from 'node:http';
import { SearchFailed } from '../search/response.ts';
import type { ApiMiddleware } from '../state.ts';
import { tooManyRequests, type Traffic } from '../traffic/traffic.ts';
import { TooManyWaiting } from '../traffic/user-slots.ts';
import { isList, isSuggestion } from './limit-rate.ts';

/** Limits the active requests of each user. Further requests wait here, and their bodies are not read meanwhile. */
export function limitRequests({ slots, users }: Pick<Traffic, 'slots' | 'users'>): ApiMiddleware {
  return async (ctx, next) => {
    const { limitKey } = ctx.state.user;
    users.record(limitKey);
    ctx.state.disconnected = disconnectSignal(ctx.res);
    const release = await slots.acquire(limitKey, slotOf(ctx), ctx.state.disconnected).catch((error: unknown) => {
      throw error instanceof TooManyWaiting ? tooManyRequests() : error;
    });
    ctx.state.releaseSlot = release;
    try {
      await next();
    } catch (error) {
      if (isOutage(error)) release(error);
      throw error;
    } finally {
      release();
    }
  };
}

function slotOf(ctx: Context): 'list' | 'suggestion' | 'other' {
  if (isList(ctx)) return 'list';
  return isSuggestion(ctx) ? 'suggestion' : 'other';
}

/** The client closed the connection before the response was sent. */
class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/** A search that exceeded its time limit has no cause and does not imply that other searches would fail. */
function isOutage(error: unknown): error is Error {
  return isDatabaseOutage(error) || (error instanceof SearchFailed && error.cause !== undefined);
}

function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) controller.abort(new ClientDisconnected('the client closed the connection'));
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return controller.signal;
}
