import type { ParameterizedContext } from 'koa';
import Negotiator from 'negotiator';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { State } from '../auth/authenticate.ts';
import { asWeak, isKnownAsWeak } from '../http/entity-tag.ts';
import { LONG_BYTES } from './threads.ts';
import type { Traffic } from './traffic.ts';
import { bodyBytes } from './unread-responses.ts';

type Encoding = 'br' | 'gzip';

/** Compresses the JSON of a response if its client accepts that. @throws ClientDisconnected */
export type CompressResponse = (ctx: ParameterizedContext<State>, disconnected: AbortSignal) => Promise<void>;

/** A smaller response is one packet anyway. */
const MIN_BYTES = 1_024;
/** Compressing so much takes about 0.2 ms, as long as having another thread do it. */
const IN_PLACE_MAX_BYTES = 16 * 1_024;
/** Compressing more takes several milliseconds of a thread, so users take turns. */
const IN_TURN_ABOVE_BYTES = 256 * 1_024;

/** Brotli takes less time, so a client that prefers both equally gets it. */
const PREFERRED: Encoding[] = ['br', 'gzip'];
const GZIP = { level: constants.Z_BEST_SPEED };
const brotli = (bytes: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: bytes } });

export function responseCompression(traffic: Pick<Traffic, 'threads' | 'longThread' | 'unread'>): CompressResponse {
  const compress = onceForEachBody();
  return async (ctx, disconnected) => {
    ctx.vary('Accept-Encoding');
    if (ctx.status === 304) return repeatWeakTag(ctx);
    const body = bodyBytes(ctx);
    const encoding = body && encodingFor(ctx, body);
    if (!encoding) return;
    const { limitKey } = ctx.state.user;
    const threads = body.length > LONG_BYTES ? traffic.longThread : traffic.threads;
    const holds = [traffic.unread.hold(limitKey, body.length), threads.open(limitKey)] as const;
    try {
      if (body.length > IN_TURN_ABOVE_BYTES) await holds[1].wait(1, disconnected);
      sendAs(ctx, encoding, await compress(body, encoding));
    } finally {
      holds.forEach((hold) => hold.release());
    }
  };
}

/** Requests that share a list have the same body. */
function onceForEachBody(): (body: Buffer, encoding: Encoding) => Promise<Buffer> {
  const known = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer>>>>();
  return (body, encoding) => {
    const ofBody = known.get(body) ?? {};
    known.set(body, ofBody);
    return (ofBody[encoding] ??= compressed(body, encoding));
  };
}

async function compressed(body: Buffer, encoding: Encoding): Promise<Buffer> {
  const isSmall = body.length <= IN_PLACE_MAX_BYTES;
  if (encoding === 'gzip') return isSmall ? gzipSync(body, GZIP) : promisify(gzip)(body, GZIP);
  const options = brotli(body.length);
  return isSmall ? brotliCompressSync(body, options) : promisify(brotliCompress)(body, options);
}

function encodingFor({ req }: ParameterizedContext, { length }: Buffer): Encoding | undefined {
  const accepted = new Negotiator(req).encodings([...PREFERRED, 'identity'], { preferred: PREFERRED });
  const [encoding = 'identity'] = accepted;
  const isTooSmall = length < MIN_BYTES && accepted.includes('identity');
  return encoding === 'identity' || isTooSmall ? undefined : encoding;
}

function sendAs(ctx: ParameterizedContext, encoding: Encoding, bytes: Buffer): void {
  ctx.set('Content-Encoding', encoding);
  ctx.body = bytes;
  const tag = ctx.response.get('ETag');
  // A strong tag would say that the bytes are those of the other encodings (RFC 9110, section 8.8.1).
  if (tag) ctx.set('ETag', asWeak(tag));
}

/** A cache may only update a copy with the weak tag if the response repeats it (RFC 9111, section 4.3.4). */
function repeatWeakTag(ctx: ParameterizedContext): void {
  const tag = ctx.response.get('ETag');
  if (isKnownAsWeak(ctx.get('if-none-match'), tag)) ctx.set('ETag', asWeak(tag));
}
