import type { Log } from '@ugc/shared/process/log';
import type { Middleware } from 'koa';
import type { AuthenticatedUser } from './auth/claims.ts';
import type { Reservation } from './traffic/byte-budget.ts';

/** What the middlewares learn about a request, each for those after it. */
export type State = {
  requestId: string;
  log: Log;
  /** Set by `authenticate`: every route behind it has a caller. */
  user: AuthenticatedUser;
  /** Set by `limitRequests`: aborted when nobody will read the answer any more. */
  disconnected: AbortSignal;
  /** Set by `limitRequests`: gives the slot back before the answer is sent. */
  releaseSlot: () => void;
  /** Set by `limitUploads`: the bytes of the body that are in memory. */
  bodyReservation: Reservation;
  /** Set by `limitUploads`: waits until no other large body of the user is worked on. */
  waitForLargeBodySlot: () => Promise<void>;
  /** Set by `limitUploads`: the body is worked on no more, though the answer may still take its time. */
  releaseBody: () => void;
};

export type ApiMiddleware = Middleware<State>;
