import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { badRequest, Problem } from './problem.ts';

/**
 * Reads a request's body as JSON in UTF-8. A body that is announced as too large is not read, one that turns out to be is read
 * no further.
 * @param mediaTypes that may be sent
 * @throws Problem 415 for another content type, charset or encoding · 413 above `limitBytes` · 400 when it is not JSON
 */
export async function readJson(ctx: Context, limitBytes: number, mediaTypes: string[]): Promise<unknown> {
  requireJson(ctx, mediaTypes);
  const announced = announcedBytes(ctx);
  if ((announced ?? 0) > limitBytes) throw tooLarge(ctx, limitBytes);
  if (ctx.get('expect').toLowerCase() === '100-continue') ctx.res.writeContinue();
  const bytes = await readBytes(ctx, announced, limitBytes);
  return parse(bytes);
}

function requireJson(ctx: Context, mediaTypes: string[]): void {
  const charset = ctx.request.charset.toLowerCase();
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (!mediaTypes.includes(ctx.request.type.toLowerCase()) || !['', 'utf-8', 'utf8'].includes(charset)) {
    throw new Problem(415, `The body must be ${mediaTypes.join(' or ')} in UTF-8.`, { headers: { Accept: mediaTypes.join(', ') } });
  }
  if (encoding !== '' && encoding !== 'identity')
    throw new Problem(415, 'The body must not be compressed.', { headers: { 'Accept-Encoding': 'identity' } });
}

// Node has checked that the header, if there is one, is a number.
function announcedBytes(ctx: Context): number | null {
  const length = ctx.get('content-length');
  return length === '' ? null : Number(length);
}

async function readBytes(ctx: Context, announced: number | null, limitBytes: number): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { length: announced, limit: limitBytes });
  } catch (error) {
    const { type } = error as { type?: string };
    if (type === 'entity.too.large') throw tooLarge(ctx, limitBytes);
    throw badBody('ended before it was complete');
  }
}

function tooLarge(ctx: Context, limitBytes: number): Problem {
  // What is still to come is not read, so the connection can't be used again.
  ctx.set('Connection', 'close');
  return new Problem(413, `The body is larger than ${limitBytes} bytes.`);
}

function parse(bytes: Buffer): unknown {
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
