import type { Context, Middleware } from 'koa';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { badRequest, Problem } from './problem.ts';

/** The limits on the memory and the work that the bodies of one user take. */
export type BodyLimits = {
  /** Reserves the memory of bytes that arrive without a Content-Length. @throws Problem 429, 503 */
  reserve: (bytes: number) => void;
  /** Waits until no other large body of the user is processed. */
  waitForLargeBodySlot: () => Promise<void>;
};

export type BodyRules = { limitBytes: number; mediaTypes: string[] };

/** @throws Problem 415 · 413 above `limitBytes` · 408 below the minimum rate · 400 when it is not JSON · errors of `limits` */
export async function readJson(ctx: Context, { limitBytes, mediaTypes }: BodyRules, limits: BodyLimits): Promise<unknown> {
  requireJson(ctx, mediaTypes);
  // Node's parser has checked that the header is a number.
  const contentLength = ctx.get('content-length');
  if (Number(contentLength) > limitBytes) throw bodyTooLarge(limitBytes);
  if (ctx.get('expect').toLowerCase() === '100-continue') ctx.res.writeContinue();
  const bytes = await readBody(ctx.req, limitBytes, contentLength === '' ? limits.reserve : () => undefined);
  if (bytes.length > LARGE_BODY_BYTES) {
    await limits.waitForLargeBodySlot();
    // Lets requests that have arrived in the meantime go first.
    await setImmediate();
  }
  return parse(bytes);
}

/** Parsing and validating a body of this size takes about 1 ms. */
export const LARGE_BODY_BYTES = 64 * 1_024;
/** A body of 2 MB with 160,000 keys or a million brackets takes 50 to 100 times as long to parse as one with few. */
const VALUES_MAX = 10_000;
/** Keeps a byte order mark, which RFC 8259, section 8.1, forbids. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function requireJson(ctx: Context, mediaTypes: string[]): void {
  const charset = ctx.request.charset.toLowerCase();
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (!mediaTypes.includes(ctx.request.type.toLowerCase()) || !['', 'utf-8', 'utf8'].includes(charset)) {
    throw unsupportedMediaType(mediaTypes);
  }
  if (encoding !== '' && encoding !== 'identity')
    throw new Problem(415, 'The body must not be compressed; the only supported Content-Encoding is identity.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
}

export function unsupportedMediaType(mediaTypes: string[]): Problem {
  const headers = { Accept: mediaTypes.join(', ') };
  return new Problem(415, `The body must be ${mediaTypes.join(' or ')}, encoded in UTF-8.`, { headers });
}

function parse(bytes: Buffer): unknown {
  if (hasMoreValues(bytes, VALUES_MAX)) throw badBody(`has more than ${VALUES_MAX} values; its commas and opening brackets are counted`);
  try {
    return JSON.parse(UTF_8.decode(bytes)) as unknown;
  } catch {
    throw badBody(problemOf(bytes));
  }
}

/** Of UTF-8 and of both forms of UTF-16. Those of UTF-32 begin with the same bytes. */
const BYTE_ORDER_MARKS = ['efbbbf', 'feff', 'fffe', '0000feff'].map((hex) => Buffer.from(hex, 'hex'));

function problemOf(notJson: Buffer): string {
  if (notJson.length === 0) return 'is empty; it must be a JSON object';
  const hasMark = BYTE_ORDER_MARKS.some((mark) => notJson.subarray(0, mark.length).equals(mark));
  return hasMark ? 'begins with a byte order mark (U+FEFF); send JSON in UTF-8 without it' : 'is not valid JSON in UTF-8';
}

function badBody(detail: string): Problem {
  return badRequest('The body is not valid.', [{ pointer: '#', detail }]);
}

/** Reports all problems, each with an RFC 6901 JSON pointer as a URI fragment. @throws Problem 400 */
export function validate<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const toPointer = (path: PropertyKey[]): string =>
    ['#', ...path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
  const errors = parsed.error.issues.map(({ path, message }) => ({ pointer: toPointer(path), detail: message }));
  throw badRequest('The body is not valid.', errors);
}

/** After this grace period the average rate must reach the minimum; a slower client would hold memory for too long. */
const GRACE_MS = 5_000;
const MIN_BYTES_PER_SECOND = 16 * 1_024;
const CHECK_EVERY_MS = 1_000;

/** After a failure, `discardUnreadBody` reads the remaining bytes. @throws Problem · errors of `onBytes` */
function readBody(request: IncomingMessage, limitBytes: number, onBytes: (chunkBytes: number) => void): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  const onData = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    try {
      if (receivedBytes > limitBytes) throw bodyTooLarge(limitBytes);
      onBytes(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      reject(error);
    }
  };
  const onEnd = (): void => resolve(Buffer.concat(chunks));
  const onClose = (): void => {
    if (!request.complete) reject(badBody('is incomplete'));
  };
  const checks = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > GRACE_MS && receivedBytes < (elapsedMs / 1_000) * MIN_BYTES_PER_SECOND) reject(bodyTooSlow());
  }, CHECK_EVERY_MS);
  request.on('data', onData).once('end', onEnd).once('error', onClose).once('close', onClose);
  return promise.finally(() => {
    clearInterval(checks);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

export function longestBodyMs(limitBytes: number): number {
  return GRACE_MS + Math.ceil((limitBytes / MIN_BYTES_PER_SECOND) * 1_000);
}

export function bodyTooLarge(limitBytes: number): Problem {
  return new Problem(413, `The body is larger than the limit of ${limitBytes} bytes.`);
}

export function bodyTooSlow(): Problem {
  const detail = `The body arrived too slowly. The minimum average rate is ${MIN_BYTES_PER_SECOND} bytes per second.`;
  return new Problem(408, detail, { headers: { Connection: 'close' } });
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
  request.once('end', done).once('close', done);
  // A partly read body is paused.
  request.resume();
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Not 0 for the bytes that are counted or begin a string, so that all others cost one comparison. */
const NOTED = Uint8Array.from({ length: 256 }, (_, byte) => Number('",[{'.includes(String.fromCharCode(byte))));
/** The rest of a long string is searched: a search takes as long as some 100 bytes. */
const SEARCH_AFTER_BYTES = 256;

/**
 * Whether a JSON text in UTF-8 has more than `max` commas and opening brackets outside of strings. They limit its values
 * and its levels of nesting. One pass over the bytes, which ends above `max`, takes less time than to parse the text.
 */
export function hasMoreValues(json: Buffer, max: number): boolean {
  const { length } = json;
  let values = 0;
  let at = 0;
  while (at < length && values <= max) {
    const byte = json[at++] ?? 0;
    if (NOTED[byte] === 0) continue;
    if (byte === QUOTE) at = endOfString(json, at);
    else values += 1;
  }
  return values > max;
}

/** Searches only in long strings, because a text may have a million short ones. @returns where the text continues */
function endOfString(json: Buffer, start: number): number {
  const { length } = json;
  let at = start;
  while (at < length) {
    const near = Math.min(at + SEARCH_AFTER_BYTES, length);
    while (at < near) {
      const byte = json[at++];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    if (at < length) at = nextQuote(json, at);
  }
  return at;
}

/** @returns where the next quote is, or behind it if it is escaped */
function nextQuote(json: Buffer, start: number): number {
  const quote = json.indexOf(QUOTE, start);
  if (quote === -1) return json.length;
  let escapes = quote;
  while (escapes > start && json[escapes - 1] === BACKSLASH) escapes -= 1;
  return (quote - escapes) % 2 === 0 ? quote : quote + 1;
}
