import { isDatabaseOutage } from '@ugc/shared/stores/postgres';
import type { ServerResponse } from 'node:http';
import { ClientDisconnected } from '../http/client-disconnected.ts';
import { SearchFailed } from '../search/render-page.ts';
import type { ApiMiddleware } from '../state.ts';
import { tooManyRequests, type Traffic } from '../traffic/traffic.ts';
import { NoSlot } from '../traffic/user-slots.ts';
import { isList } from './limit-rate.ts';

/**
 * Bounds the requests of one user that are worked on at a time: those that need PostgreSQL, and lists, which need Elasticsearch. Further
 * ones wait here; their bodies are not read meanwhile.
 */
export function limitRequests({ slots, users }: Pick<Traffic, 'slots' | 'users'>): ApiMiddleware {
  return async (ctx, next) => {
    const { userId } = ctx.state.user;
    users.called(userId);
    ctx.state.disconnected = closed(ctx.res);
    const release = await slots.take(userId, isList(ctx) ? 'list' : 'other', ctx.state.disconnected).catch((error: unknown) => {
      throw error instanceof NoSlot ? tooManyRequests() : error;
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

/** A search that took too long has no cause: it says nothing about others. */
function isOutage(error: unknown): error is Error {
  return isDatabaseOutage(error) || (error instanceof SearchFailed && error.cause !== undefined);
}

/** Aborted when the connection closes before the answer has been sent. */
function closed(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) gone.abort(new ClientDisconnected('the caller has closed the connection'));
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return gone.signal;
}
