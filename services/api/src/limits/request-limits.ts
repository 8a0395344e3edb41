import type { ParameterizedContext } from 'koa';
import type { ServerResponse } from 'node:http';
import type { State } from '../auth/authenticate.ts';
import type { BodyLimits } from '../http/body.ts';
import { WAIT_MAX_MS } from '../http/server.ts';
import type { RateLimits } from './rate-limits.ts';
import type { RunInThread } from './threads.ts';
import type { Traffic } from './traffic.ts';

/** Decides the rate limit and the slots of a request. */
export type Cost = 'read' | 'write' | 'list' | 'suggestion';

export const RATE_OF = { read: 'reads', write: 'writes', list: 'lists', suggestion: 'suggestions' } as const;
const SLOT_OF = { read: 'other', write: 'other', list: 'list', suggestion: 'suggestion' } as const;

/** What a request holds while it is handled. */
export type Granted = {
  /** Aborted when the client disconnects before the response is sent. */
  disconnected: AbortSignal;
  body: BodyLimits;
  /** Releases the slot, and the memory of the body, before the response is sent. */
  release: () => void;
};

type LimitDeps = {
  rateLimits: RateLimits;
  traffic: Traffic;
  /** Whether an error means that a store is unavailable, so that the requests that wait would fail too. */
  isOutage: (error: unknown) => error is Error;
};

type Handler = (granted: Granted) => Promise<void>;
export type RequestLimits = (ctx: ParameterizedContext<State>, cost: Cost, handle: Handler) => Promise<void>;

/** Above the number of active requests of a user, further ones wait, and their bodies are not read meanwhile. */
export function requestLimits({ rateLimits, traffic, isOutage }: LimitDeps): RequestLimits {
  const { threads } = traffic;
  return async (ctx, cost, handle) => {
    const { limitKey } = ctx.state.user;
    ctx.set(await rateLimits.count(RATE_OF[cost], String(limitKey)));
    traffic.unread.assertBelowLimit(limitKey);
    const disconnected = disconnectSignal(ctx.res);
    const arrivedAtMs = performance.now();
    const releaseSlot = await traffic.slots.acquire(limitKey, SLOT_OF[cost], disconnected);
    const leftMs = WAIT_MAX_MS - (performance.now() - arrivedAtMs);
    const memory = traffic.uploads.open(limitKey);
    const reserve = (bytes: number): Promise<void> => traffic.answers.explain(memory.wait(bytes, disconnected, leftMs));
    const release = (): void => [memory.release, releaseSlot].forEach((each) => each());
    try {
      const runInThread: RunInThread = async (work) => threads.run(await threads.wait(limitKey, 1, disconnected), work);
      await handle({ disconnected, release, body: { reserve, runInThread } });
    } catch (error) {
      if (isOutage(error)) {
        releaseSlot(error);
        // What is uploaded goes to the store of all these requests.
        if (SLOT_OF[cost] === 'other') traffic.uploads.failWaiting(limitKey, error);
      }
      throw error;
    } finally {
      release();
    }
  };
}

/** The client closed the connection before the response was sent. */
class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

const disconnectSignals = new WeakMap<ServerResponse, AbortSignal>();

/**
 * Listens to a response once, however often it is called: Node warns of more than ten listeners, and a body that is sent
 * in pieces has seven.
 * @returns a signal that is aborted when the client disconnects before the response is sent
 */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const known = disconnectSignals.get(response);
  if (known) return known;
  const controller = new AbortController();
  disconnectSignals.set(response, controller.signal);
  const abort = (): void => {
    if (!response.writableFinished) controller.abort(new ClientDisconnected('the client closed the connection'));
  };
  if (response.closed) abort();
  else response.once('close', abort);
  return controller.signal;
}
