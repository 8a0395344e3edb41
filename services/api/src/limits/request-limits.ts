import type { Middleware, ParameterizedContext } from 'koa';
import type { ServerResponse } from 'node:http';
import type { State } from '../auth/authenticate.ts';
import type { BodyLimits } from '../http/body.ts';
import type { LoggedState } from '../http/request-log.ts';
import type { RateLimits } from './rate-limits.ts';
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
  /** Releases the slot, and the memory and slot of the body, before the response is sent. */
  release: () => void;
};

type LimitDeps = {
  rateLimits: RateLimits;
  traffic: Traffic;
  limits: { BODY_MAX_BYTES: number };
  /** Whether an error means that a store is unavailable, so that the requests that wait would fail too. */
  isOutage: (error: unknown) => error is Error;
};

type Work = (granted: Granted) => Promise<void>;
export type RequestLimits = (ctx: ParameterizedContext<State>, cost: Cost, work: Work) => Promise<void>;

/**
 * Returns a function that runs the work of a request within the limits of its user. Above the number of active requests
 * of a user, further ones wait, and their bodies are not read meanwhile.
 */
export function requestLimits(deps: LimitDeps): RequestLimits {
  const { rateLimits, traffic } = deps;
  const { slots, users, unread } = traffic;
  return async (ctx, cost, work) => {
    const { limitKey } = ctx.state.user;
    await rateLimits.count(RATE_OF[cost], String(limitKey));
    unread.assertBelowLimit(limitKey);
    users.record(limitKey);
    const disconnected = disconnectSignal(ctx.res);
    const releaseSlot = await slots.acquire(limitKey, SLOT_OF[cost], disconnected);
    try {
      await withBody(deps, ctx, disconnected, (body, releaseBody) => {
        const release = (): void => [releaseBody, releaseSlot].forEach((each) => each());
        return work({ disconnected, body, release });
      });
    } catch (error) {
      if (deps.isOutage(error)) releaseSlot(error);
      throw error;
    } finally {
      releaseSlot();
    }
  };
}

type BodyWork = (body: BodyLimits, releaseBody: () => void) => Promise<void>;

/** Reserves the memory of a body. Without a Content-Length, `readJson` reserves the bytes as they arrive. */
async function withBody({ traffic, limits }: LimitDeps, ctx: ParameterizedContext<State>, disconnected: AbortSignal, work: BodyWork) {
  const { limitKey } = ctx.state.user;
  const [bytes, slot] = [traffic.uploads.open(limitKey), traffic.largeBodies.open(limitKey)];
  let reserved = 0;
  const reserve = (more: number): void => bytes.resize((reserved += more));
  reserve(bytesToReserve(ctx, limits.BODY_MAX_BYTES));
  const waitForLargeBodySlot = (): Promise<void> => slot.wait(1, disconnected);
  const releaseBody = (): void => [bytes, slot].forEach((hold) => hold.release());
  await work({ reserve, waitForLargeBodySlot }, releaseBody).finally(releaseBody);
}

/** @returns the Content-Length; 0 for a body that will not be read because it is too large */
function bytesToReserve(ctx: ParameterizedContext<State>, bodyMaxBytes: number): number {
  if (!['POST', 'PUT', 'PATCH'].includes(ctx.method)) return 0;
  const contentLength = Number(ctx.get('content-length'));
  return contentLength > bodyMaxBytes ? 0 : contentLength;
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

/** Counts the bytes of responses until clients have read them. Runs around `handleErrors`, which creates error bodies. */
export function countUnreadResponses({ unread }: Traffic): Middleware<LoggedState> {
  return async (ctx, next) => {
    await next();
    const limitKey = ctx.state.user?.limitKey;
    if (limitKey === undefined || ctx.res.closed || ctx.method === 'HEAD') return;
    // The size of a JSON body is not known before it is serialized.
    const body = isPlainObject(ctx.body) ? JSON.stringify(ctx.body) : ctx.body;
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return;
    ctx.body = body;
    const { length } = ctx.response;
    ctx.body = unread.send(limitKey, ctx.res, body);
    ctx.length = length;
  };
}

function isPlainObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body);
}
