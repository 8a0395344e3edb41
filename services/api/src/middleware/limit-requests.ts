import { isDatabaseAway } from '@ugc/shared/postgres';
import type { ServerResponse } from 'node:http';
import { CallerGone } from '../caller-gone.ts';
import { SearchFailed } from '../content/render-page.ts';
import type { ApiMiddleware } from '../state.ts';
import { tooManyRequests, type Traffic } from '../traffic/traffic.ts';
import { NoSlot } from '../traffic/user-slots.ts';
import { isList } from './limit-calls.ts';

/**
 * Bounds the requests of one user that are worked on at a time: those that need PostgreSQL, and lists, which need Elasticsearch. Further
 * ones wait here; their bodies are not read meanwhile.
 */
export function limitRequests({ slots, users }: Pick<Traffic, 'slots' | 'users'>): ApiMiddleware {
  return async (ctx, next) => {
    const { userId } = ctx.state.caller;
    users.called(userId);
    ctx.state.callerGone = closed(ctx.res);
    const release = await slots.take(userId, isList(ctx) ? 'list' : 'other', ctx.state.callerGone).catch((error: unknown) => {
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
  return isDatabaseAway(error) || (error instanceof SearchFailed && error.cause !== undefined);
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
