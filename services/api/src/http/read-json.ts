import type { Context } from 'koa';
import { setImmediate } from 'node:timers/promises';
import { isNestedDeeper } from './json-nesting.ts';
import { badRequest, Problem } from './problem.ts';
import { BodyIncomplete, readBody, tooLarge } from './read-body.ts';
import type { State } from '../state.ts';

/**
 * Reads a request's body as JSON in UTF-8. A body that is announced as too large is not read.
 * @param mediaTypes that may be sent
 * @throws Problem 415 for another content type, charset or encoding · 413 above `limitBytes` · 408 when the body arrives too slowly ·
 *   400 when it is not JSON · 429 or 503 when there is no room for it
 */
export async function readJson(ctx: Context & { state: State }, limitBytes: number, mediaTypes: string[]): Promise<unknown> {
  requireJson(ctx, mediaTypes);
  const isAnnounced = ctx.get('content-length') !== '';
  // Node has checked that the header, if there is one, is a number.
  if (Number(ctx.get('content-length')) > limitBytes) throw tooLarge(limitBytes);
  if (ctx.get('expect').toLowerCase() === '100-continue') ctx.res.writeContinue();
  const onBytes = (bytes: number): void => {
    if (!isAnnounced) ctx.state.bodyReservation.add(bytes);
  };
  const bytes = await readBody(ctx.req, { limitBytes, onBytes }).catch((error: unknown) => {
    throw error instanceof BodyIncomplete ? badBody('ended before it was complete') : error;
  });
  if (bytes.length > LARGE_BYTES) {
    await ctx.state.waitForLargeBodySlot();
    // What has arrived of other requests meanwhile goes first.
    await setImmediate();
  }
  return parse(bytes);
}

/** Parsing and validating a body of this size takes about a millisecond. */
const LARGE_BYTES = 64 * 1_024;
/** Measured: parsing a million levels takes ten times as long as parsing any other body of that size. */
const NESTING_MAX = 100_000;

function requireJson(ctx: Context, mediaTypes: string[]): void {
  const charset = ctx.request.charset.toLowerCase();
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (!mediaTypes.includes(ctx.request.type.toLowerCase()) || !['', 'utf-8', 'utf8'].includes(charset)) {
    throw new Problem(415, `The body must be ${mediaTypes.join(' or ')} in UTF-8.`, { headers: { Accept: mediaTypes.join(', ') } });
  }
  if (encoding !== '' && encoding !== 'identity')
    throw new Problem(415, 'The body must not be compressed.', { headers: { 'Accept-Encoding': 'identity' } });
}

function parse(bytes: Buffer): unknown {
  if (isNestedDeeper(bytes, NESTING_MAX)) throw badBody(`is nested deeper than ${NESTING_MAX} levels`);
  try {
    // The byte order mark is kept, so that JSON.parse refuses it: JSON that is exchanged has none (RFC 8259).
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) as unknown;
  } catch {
    throw badBody(bytes.length === 0 ? 'is empty; a JSON object is expected' : 'is not valid JSON in UTF-8');
  }
}

function badBody(detail: string): Problem {
  return badRequest('The body is not valid.', [{ pointer: '#', detail }]);
}
