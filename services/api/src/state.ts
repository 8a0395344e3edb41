import type { Middleware } from 'koa';
import type { AuthenticatedUser } from './auth/claims.ts';
import type { BodyLimits } from './http/read-json.ts';

/** Request state that each middleware provides to the ones after it. */
export type State = BodyLimits & {
  requestId: string;
  /** Set by `authenticate`. */
  user: AuthenticatedUser;
  /** Set by `limitRequests`: aborted when the client disconnects before the response is sent. */
  disconnected: AbortSignal;
  /** Set by `limitRequests`: releases the request's slot before the response is sent. */
  releaseSlot: () => void;
  /** Set by `limitUploads`: releases the body's memory and slot before the response is sent. */
  releaseBody: () => void;
};

export type ApiMiddleware = Middleware<State>;
