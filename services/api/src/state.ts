import type { Log } from '@ugc/shared/log';
import type { Middleware } from 'koa';
import type { Caller } from './auth/claims.ts';
import type { Reservation } from './traffic/byte-budget.ts';

/** What the middlewares learn about a request, each for those after it. */
export type State = {
  requestId: string;
  log: Log;
  /** Set by `authenticate`: every route behind it has a caller. */
  caller: Caller;
  /** Set by `limitRequests`: aborted when nobody will read the answer any more. */
  callerGone: AbortSignal;
  /** Set by `limitRequests`: gives the slot back before the answer is sent. */
  releaseSlot: () => void;
  /** Set by `limitUploads`: the bytes of the body that are in memory. */
  uploadRoom: Reservation;
  /** Set by `limitUploads`: waits until no other large body of the user is worked on. */
  takeLargeBodyTurn: () => Promise<void>;
  /** Set by `limitUploads`: the body is worked on no more, though the answer may still take its time. */
  bodyDone: () => void;
};

export type ApiMiddleware = Middleware<State>;
