import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { isNotModified } from '../http/entity-tag.ts';

/** A file that is served from memory. `gzipped` compresses it once, at the first request that accepts gzip. */
export type StaticFile = {
  path: string;
  headers: Record<string, string>;
  tag: string;
  content: Buffer;
  gzipped: (() => Promise<Buffer>) | undefined;
};

export type StaticFileOptions = {
  /** The path of the URL, exactly. */
  path: string;
  /** Its extension determines the media type. */
  fileName: string;
  content: Buffer | string;
  /** Whether the path changes with the content, so that browsers need not ask again. */
  isImmutable: boolean;
  /** The Content-Security-Policy. Without one, a browser renders nothing of the file. */
  policy?: string;
};

export type StaticResponse = { status: number; headers: Record<string, string>; body?: Buffer };

const MEDIA_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  // Without a charset, browsers read a script in the encoding of its document.
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATED = 'public, no-cache';

/** @throws Error for an extension without a media type */
export function staticFile({ path, fileName, content, isImmutable, policy }: StaticFileOptions): StaticFile {
  const type = MEDIA_TYPES[extname(fileName)];
  if (type === undefined) throw new Error(`${fileName} has no known media type`);
  const bytes = Buffer.from(content);
  const isText = type.endsWith('charset=utf-8');
  const headers = {
    'Content-Type': type,
    'Cache-Control': isImmutable ? IMMUTABLE : REVALIDATED,
    'X-Content-Type-Options': 'nosniff',
    ...(policy !== undefined && { 'Content-Security-Policy': policy }),
    ...(isText && { Vary: 'Accept-Encoding' }),
  };
  return { path, headers, tag: hash('sha256', bytes, 'base64url'), content: bytes, gzipped: isText ? onceGzipped(bytes) : undefined };
}

/** The response to any request for the file: 405 unless the method is GET or HEAD. A server omits the body for HEAD. */
export async function respondWith(
  file: StaticFile,
  { method, headers }: { method?: string | undefined; headers: IncomingHttpHeaders },
): Promise<StaticResponse> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET, HEAD' } };
  const gzipped = acceptsGzip(headers['accept-encoding']) ? file.gzipped : undefined;
  // The two encodings are different representations, so their strong entity tags differ (RFC 9110, section 8.8.3.3).
  const tag = gzipped ? `"${file.tag}-gzip"` : `"${file.tag}"`;
  const common = { ...file.headers, ETag: tag };
  if (isNotModified(headers['if-none-match'] ?? '', tag)) return { status: 304, headers: common };
  const body = gzipped ? await gzipped() : file.content;
  const length = { 'Content-Length': String(body.length), ...(gzipped && { 'Content-Encoding': 'gzip' }) };
  return { status: 200, headers: { ...common, ...length }, body };
}

function onceGzipped(bytes: Buffer): () => Promise<Buffer> {
  let result: Promise<Buffer> | undefined;
  return () => (result ??= promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

/** A quality of 0 refuses a coding (RFC 9110, section 12.4.2). */
function acceptsGzip(acceptEncoding: string | string[] = ''): boolean {
  return String(acceptEncoding)
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .some((coding) => /^gzip($|\s*;)/.test(coding) && !/;\s*q=0(\.0*)?$/.test(coding));
}
