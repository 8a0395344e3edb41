import type { Context } from 'koa';
import { setImmediate } from 'node:timers/promises';
import { exceedsDepth } from './json-nesting.ts';
import { badRequest, Problem } from './problem.ts';
import { BodyIncomplete, bodyTooLarge, readBody } from './read-body.ts';

/** Set by `limitUploads`. */
export type BodyLimits = {
  bodyReservation: { add(bytes: number): void };
  /** Waits until no other large body of the user is processed. */
  waitForLargeBodySlot: () => Promise<void>;
};

/**
 * Reads a request body as JSON in UTF-8. A body whose Content-Length exceeds the limit is not read.
 * @param mediaTypes the accepted content types
 * @throws Problem 415 for another content type, charset or encoding · 413 above `limitBytes` · 408 below the minimum
 *   rate · 400 when it is not JSON · 429 or 503 when the memory for request bodies is exhausted
 */
export async function readJson(ctx: Context & { state: BodyLimits }, limitBytes: number, mediaTypes: string[]): Promise<unknown> {
  requireJson(ctx, mediaTypes);
  const hasLength = ctx.get('content-length') !== '';
  // Node's parser has checked that the header is a number.
  if (Number(ctx.get('content-length')) > limitBytes) throw bodyTooLarge(limitBytes);
  if (ctx.get('expect').toLowerCase() === '100-continue') ctx.res.writeContinue();
  const onBytes = (bytes: number): void => {
    if (!hasLength) ctx.state.bodyReservation.add(bytes);
  };
  const bytes = await readBody(ctx.req, { limitBytes, onBytes }).catch((error: unknown) => {
    throw error instanceof BodyIncomplete ? badBody('is incomplete') : error;
  });
  if (bytes.length > LARGE_BYTES) {
    await ctx.state.waitForLargeBodySlot();
    // Lets requests that have arrived in the meantime go first.
    await setImmediate();
  }
  return parse(bytes);
}

/** Parsing and validating a body of this size takes about 1 ms. */
const LARGE_BYTES = 64 * 1_024;
/** Parsing one million nested arrays takes ten times as long as parsing any other body of the same size. */
const NESTING_MAX = 100_000;
/** Keeps a byte order mark, so that JSON.parse fails: RFC 8259, section 8.1, forbids it. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function requireJson(ctx: Context, mediaTypes: string[]): void {
  const charset = ctx.request.charset.toLowerCase();
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (!mediaTypes.includes(ctx.request.type.toLowerCase()) || !['', 'utf-8', 'utf8'].includes(charset)) {
    throw new Problem(415, `The body must be ${mediaTypes.join(' or ')}, encoded in UTF-8.`, {
      headers: { Accept: mediaTypes.join(', ') },
    });
  }
  if (encoding !== '' && encoding !== 'identity')
    throw new Problem(415, 'The body must not be compressed; the only supported Content-Encoding is identity.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
}

function parse(bytes: Buffer): unknown {
  if (exceedsDepth(bytes, NESTING_MAX)) throw badBody(`has more than ${NESTING_MAX} levels of nesting`);
  try {
    return JSON.parse(UTF_8.decode(bytes)) as unknown;
  } catch {
    throw badBody(bytes.length === 0 ? 'is empty; it must be a JSON object' : 'is not valid JSON in UTF-8');
  }
}

function badBody(detail: string): Problem {
  return badRequest('The body is not valid.', [{ pointer: '#', detail }]);
}
