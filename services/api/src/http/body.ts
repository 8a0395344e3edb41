import type { Context, Middleware } from 'koa';
import { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { badBody, parseJson } from '@ugc/items/fields/json';
import { Problem } from '@ugc/items/problems/problem';

/** The limits on the memory and the work that the bodies of one user take. */
export type BodyLimits = {
  /** Waits until there is memory for a body of so many bytes. It holds less at once. @throws Problem 429, 503 */
  reserve: (bytes: number) => Promise<void>;
  /** Has a thread parse and validate a large body when it is the turn of the user. */
  runInThread: <T>(work: { task: 'parseBody'; bytes: Buffer; details: object }) => Promise<T>;
};

/** `schema` has an id, by which a thread knows it. */
export type BodyRules<S> = { limitBytes: number; mediaTypes: string[]; schema: S };

/** @throws Problem 415 · 413 above `limitBytes` · 408 below the minimum rate · errors of `parseJson` and of `limits` */
export async function readJson<S extends z.ZodType>(ctx: Context, { limitBytes, mediaTypes, schema }: BodyRules<S>, limits: BodyLimits) {
  requireJson(ctx, mediaTypes);
  // Node's parser has checked that the header is a number.
  const contentLength = ctx.get('content-length');
  if (Number(contentLength) > limitBytes) throw bodyTooLarge(limitBytes);
  const announced = contentLength === '' ? Math.min(LARGE_BODY_BYTES, limitBytes) : Number(contentLength);
  await limits.reserve(announced);
  if (ctx.get('expect').toLowerCase() === '100-continue') ctx.res.writeContinue();
  const bytes = await readBody(ctx.req, limitBytes, { announced, reserve: limits.reserve });
  if (bytes.length <= LARGE_BODY_BYTES) return parseJson(bytes, schema);
  return limits.runInThread<z.output<S>>({ task: 'parseBody', bytes, details: { schema: schema.meta()?.id } });
}

/** A body of a few short texts has at most so many bytes: 1,000 characters have 12,000 in JSON. */
export const SMALL_BODY_MAX_BYTES = 16 * 1_024;
/** Parsing and validating a body of this size takes at most 3 ms, about as long as having a thread do it. */
export const LARGE_BODY_BYTES = 64 * 1_024;
function requireJson(ctx: Context, mediaTypes: string[]): void {
  const charset = ctx.request.charset.toLowerCase();
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (!mediaTypes.includes(ctx.request.type.toLowerCase()) || !['', 'utf-8', 'utf8'].includes(charset)) {
    throw unsupportedMediaType(mediaTypes);
  }
  const headers = { 'Accept-Encoding': 'identity' };
  const detail = 'The body must not be compressed; the only supported Content-Encoding is identity.';
  if (!['', 'identity'].includes(encoding)) throw new Problem(415, 'media-type-unknown', detail, { headers });
}

export function unsupportedMediaType(mediaTypes: string[]): Problem {
  const headers = { Accept: mediaTypes.join(', ') };
  return new Problem(415, 'media-type-unknown', `The body must be ${mediaTypes.join(' or ')}, encoded in UTF-8.`, { headers });
}

/** After this grace period the average rate must reach the minimum; a slower client would hold memory for too long. */
const GRACE_MS = 5_000;
const MIN_BYTES_PER_SECOND = 16 * 1_024;
const CHECK_EVERY_MS = 1_000;

export function isTooSlow(receivedBytes: number, elapsedMs: number): boolean {
  return elapsedMs > GRACE_MS && receivedBytes < (elapsedMs / 1_000) * MIN_BYTES_PER_SECOND;
}

/** A chunk takes as much memory and time as some hundred bytes, however few it has. Packets are larger on average. */
const [CHUNKS_MAX, BYTES_PER_CHUNK] = [1_000, 256];
const TOO_MANY_CHUNKS = 'tooManyChunks';

/** A request that keeps nothing more of its body once it had too many small chunks, also while nobody reads it. */
export class CountedRequest extends IncomingMessage {
  #chunksLeft = CHUNKS_MAX;

  get hasTooManyChunks(): boolean {
    return this.#chunksLeft < 0;
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#chunksLeft < 0) return false;
    if (chunk) this.#chunksLeft += chunk.length / BYTES_PER_CHUNK - 1;
    if (this.#chunksLeft >= 0) return super.push(chunk);
    this.emit(TOO_MANY_CHUNKS);
    return false;
  }
}

type Memory = Pick<BodyLimits, 'reserve'> & { announced: number };

/**
 * A body that grows beyond what it announced has memory for the largest one before it is read further, so that no two
 * bodies wait for each other. After a failure, `discardUnreadBody` reads the remaining bytes.
 * @throws Problem · errors of `reserve`
 */
async function readBody(request: IncomingMessage, limitBytes: number, { announced, reserve }: Memory): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const clock = new Clock();
  const chunks: Buffer[] = [];
  let [receivedBytes, reservedBytes] = [0, announced];
  const grow = async (): Promise<void> => {
    reservedBytes = limitBytes;
    request.pause();
    await clock.stopDuring(reserve(limitBytes));
    request.resume();
  };
  const onData = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) return reject(bodyTooLarge(limitBytes));
    chunks.push(chunk);
    if (receivedBytes > reservedBytes) grow().catch(reject);
  };
  const onTooManyChunks = (): void => reject(tooManyChunks());
  if (request instanceof CountedRequest && request.hasTooManyChunks) onTooManyChunks();
  const onClose = (): void => {
    if (!request.complete) reject(badBody('is incomplete'));
  };
  const checks = setInterval(() => {
    if (isTooSlow(receivedBytes, clock.elapsedMs)) reject(bodyTooSlow());
  }, CHECK_EVERY_MS);
  request.on('data', onData).once('end', resolve).once('error', onClose).once('close', onClose).once(TOO_MANY_CHUNKS, onTooManyChunks);
  await promise.finally(() => {
    clearInterval(checks);
    request.off('data', onData).off('end', resolve).off('close', onClose).off(TOO_MANY_CHUNKS, onTooManyChunks);
  });
  await reserve(receivedBytes);
  return Buffer.concat(chunks);
}

/** The time of a body without that in which the service does not read it. */
class Clock {
  #startedAtMs = performance.now();
  #stoppedAtMs: number | undefined;

  get elapsedMs(): number {
    return (this.#stoppedAtMs ?? performance.now()) - this.#startedAtMs;
  }

  async stopDuring(waiting: Promise<void>): Promise<void> {
    const stoppedAtMs = (this.#stoppedAtMs = performance.now());
    await waiting;
    this.#startedAtMs += performance.now() - stoppedAtMs;
    this.#stoppedAtMs = undefined;
  }
}

export function longestBodyMs(limitBytes: number): number {
  return GRACE_MS + Math.ceil((limitBytes / MIN_BYTES_PER_SECOND) * 1_000);
}

export function bodyTooLarge(limitBytes: number): Problem {
  return new Problem(413, 'body-too-large', `The body is larger than the limit of ${limitBytes} bytes.`, { values: { max: limitBytes } });
}

export function bodyTooSlow(): Problem {
  const detail = `The body arrived too slowly. The minimum average rate is ${MIN_BYTES_PER_SECOND} bytes per second.`;
  return new Problem(408, 'too-slow', detail, { values: { min: MIN_BYTES_PER_SECOND }, headers: { Connection: 'close' } });
}

function tooManyChunks(): Problem {
  const detail = 'The body comes in too many small chunks. Send larger ones.';
  return new Problem(400, 'invalid-http', detail, { headers: { Connection: 'close' } });
}

const DISCARDED_MAX_BYTES = 32 * 1_024 * 1_024;
const DISCARD_FOR_MS = 30_000;

/**
 * Discards the rest of a body, within limits, when the response was sent earlier. If the connection were closed,
 * clients that send the complete body before they read would get a connection reset instead of the response.
 */
export function discardUnreadBody(): Middleware {
  return async (ctx, next) => {
    await next();
    if (!ctx.req.complete && !ctx.res.closed) discard(ctx.req);
  };
}

function discard(request: IncomingMessage): void {
  let bytes = 0;
  const disconnect = (): void => void request.socket.destroy();
  const deadline = setTimeout(disconnect, DISCARD_FOR_MS).unref();
  const done = (): void => clearTimeout(deadline);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_MAX_BYTES) disconnect();
  });
  request.once('end', done).once('close', done).once(TOO_MANY_CHUNKS, disconnect);
  // A partly read body is paused.
  request.resume();
}
