import type { Log } from '@ugc/shared/log';
import type { Middleware } from 'koa';
import type { Caller } from './auth/claims.ts';

/** What the middlewares learn about a request, each for those after it. */
export type State = {
  requestId: string;
  log: Log;
  /** Set by `authenticate`: every route behind it has a caller. */
  caller: Caller;
  /** Set by `limitUploads`: the body is worked on no more, though the answer may still take its time. */
  bodyDone: () => void;
};

export type ApiMiddleware = Middleware<State>;
