import type { Middleware, ParameterizedContext } from 'koa';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { tryAgain, type Problem } from '@ugc/items/problems/problem';
import type { LoggedState } from '../http/request-log.ts';
import { Shares, type Hold } from './shares.ts';
import type { ExceededLimit } from './turns.ts';

type Response = Pick<ServerResponse, 'destroy' | 'once'>;

/** A response that its client has not read completely. */
type Unread = { response: Response; hold: Hold; progressAtMs: number };

/** Larger bodies are sent in pieces, so that it is known when the client has read one. */
const PIECE_BYTES = 256 * 1_024;
/** All users together may have as many unread bytes as so many users. */
const USERS = 2;

/**
 * The bytes of responses that clients have not read. Above the limit of the process, responses are closed: of the user
 * with the most unread bytes, the one that made no progress for longest.
 */
export class UnreadResponses {
  readonly bytes: Shares;
  readonly #sent = new Map<number, Set<Unread>>();

  constructor(userLimit: number) {
    const toError = (exceeded: ExceededLimit): Problem => tooManyUnreadBytes(exceeded, userLimit);
    this.bytes = new Shares({ user: userLimit, process: USERS * userLimit }, { toError });
  }

  assertBelowLimit(userId: number): void {
    if (this.bytes.usedBy(userId) >= this.bytes.limits.user) throw this.bytes.errorOf('user');
  }

  /** Of a response that is made afterwards. A single one may be larger than the limit of its user. @throws Problem 429 */
  reserve(userId: number, bytes: number): Hold {
    const reserved = Math.min(bytes, this.bytes.limits.user);
    if (this.bytes.exceeded(userId, reserved) !== 'user') this.#makeRoom(reserved);
    return this.bytes.take(userId, reserved);
  }

  /** Counts a body that is in memory and not sent yet, as if it was an unread response. */
  hold(userId: number, bytes: number): Hold {
    this.#makeRoom(bytes);
    return this.bytes.record(userId, bytes);
  }

  /** Counts a response until it is closed. @returns its body, which notes when the client has read a part */
  send(userId: number, response: Response, body: Buffer): Buffer | Readable {
    const unread = { response, hold: this.hold(userId, body.length), progressAtMs: performance.now() };
    this.#sent.set(userId, (this.#sent.get(userId) ?? new Set()).add(unread));
    response.once('close', () => this.#end(userId, unread));
    return body.length > PIECE_BYTES ? Readable.from(piecesOf(body, unread), { objectMode: false }) : body;
  }

  /** Counts every response. Runs around `handleErrors`, which creates error bodies. */
  count(): Middleware<LoggedState> {
    return async (ctx, next) => {
      await next();
      const limitKey = ctx.state.user?.limitKey;
      if (limitKey === undefined || ctx.res.closed || ctx.method === 'HEAD') return;
      const body = bodyBytes(ctx);
      if (!body) return;
      ctx.body = this.send(limitKey, ctx.res, body);
      ctx.length = body.length;
    };
  }

  #makeRoom(bytes: number): void {
    while (this.bytes.used + bytes > this.bytes.limits.process && this.#closeOne());
  }

  /** @returns whether there was a response to close */
  #closeOne(): boolean {
    const [userId = NaN] = [...this.#sent.keys()].toSorted((one, other) => this.bytes.usedBy(other) - this.bytes.usedBy(one));
    const [longest] = [...(this.#sent.get(userId) ?? [])].toSorted((one, other) => one.progressAtMs - other.progressAtMs);
    if (!longest) return false;
    this.#end(userId, longest);
    longest.response.destroy();
    return true;
  }

  #end(userId: number, unread: Unread): void {
    unread.hold.release();
    const sent = this.#sent.get(userId);
    sent?.delete(unread);
    if (sent?.size === 0) this.#sent.delete(userId);
  }
}

/** The next piece is asked for when the system has taken the one before. */
function* piecesOf(body: Buffer, unread: Unread): Generator<Buffer> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    unread.progressAtMs = performance.now();
    yield body.subarray(start, start + PIECE_BYTES);
  }
}

/** The body that Koa would send, which replaces that of the context so that it is serialized once. */
export function bodyBytes(ctx: ParameterizedContext): Buffer | undefined {
  const body = ctx.body;
  if (body === null || body === undefined || Buffer.isBuffer(body)) return body ?? undefined;
  return (ctx.body = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}

function tooManyUnreadBytes(exceeded: ExceededLimit, userLimit: number): Problem {
  if (exceeded === 'process')
    return tryAgain(429, 'too-much-at-once', 'All users together have too many bytes of unread responses. Try again.');
  const detail = `You have ${userLimit} or more bytes of unread responses. Read them or close their connections.`;
  return tryAgain(429, 'too-much-at-once', detail);
}
