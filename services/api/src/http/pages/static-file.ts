import type { Middleware, ParameterizedContext } from 'koa';
import { hash, type BinaryLike } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { isNotModified } from '../entity-tag.ts';
import type { LoggedState } from '../request-log.ts';

/** A file that is served from memory. `gzipped` compresses it once, at the first request that accepts gzip. */
export type StaticFile = {
  path: string;
  headers: Record<string, string>;
  tag: string;
  content: Buffer;
  gzipped: (() => Promise<Buffer>) | undefined;
};

/** A file that is made when it is requested. */
export type LazyFile = { path: string; make: (ctx: ParameterizedContext) => Promise<StaticFile> };

export type StaticFileOptions = {
  path: string;
  /** Its extension determines the media type. */
  fileName: string;
  content: Buffer | string;
  /** Whether the path changes with the content, so that browsers need not ask again. */
  isImmutable: boolean;
  /** The Content-Security-Policy. Without one, a browser renders nothing of the file. */
  policy?: string;
};

const MEDIA_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  // Without a charset, browsers read a script in the encoding of its document.
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATED = 'public, no-cache';

/**
 * The Content-Security-Policy of a page that loads nothing from other origins. `sources` and `rules` are those of this
 * page, and `origins` those that it sends requests to.
 */
export function pagePolicy(sources: string[], rules: string[] = [], origins: string[] = []): string {
  const connect = ["connect-src 'self'", ...origins].join(' ');
  const all = ["default-src 'none'", "script-src 'self'", "style-src 'self'", ...sources, connect];
  return [...all, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", ...rules].join('; ');
}

/** A text as the text of an element or the value of an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The part of a path that changes with the content. */
export function shortHash(content: BinaryLike): string {
  return hash('sha256', content, 'hex').slice(0, 12);
}

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
  };
  return { path, headers, tag: hash('sha256', bytes, 'base64url'), content: bytes, gzipped: isText ? onceGzipped(bytes) : undefined };
}

/**
 * Responds to requests for the paths of the files; a path with a slash at the end is redirected. It needs no token: pages
 * are loaded before there is one.
 */
export function serveFiles(files: (StaticFile | LazyFile)[]): Middleware<LoggedState> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return async (ctx, next) => {
    const file = byPath.get(ctx.path);
    const withoutSlash = byPath.get(ctx.path.replace(/\/$/, ''));
    // Pages have relative addresses, and so has this one: a proxy may serve them under a path of its own. They have no
    // parameters: their states are fragments, which browsers keep.
    if (!file && withoutSlash) return ctx.redirect(`../${withoutSlash.path.split('/').at(-1)}`);
    if (!file) return next();
    ctx.state.route = file.path;
    await sendFile(ctx, 'make' in file ? await file.make(ctx) : file);
  };
}

/** Sends the file, or 405 unless the method is GET or HEAD. */
export async function sendFile(ctx: ParameterizedContext, file: StaticFile): Promise<void> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    ctx.status = 405;
    return ctx.set('Allow', 'GET, HEAD');
  }
  if (file.gzipped) ctx.vary('Accept-Encoding');
  const gzipped = ctx.acceptsEncodings('gzip') === 'gzip' ? file.gzipped : undefined;
  // The two encodings are different representations, so their strong entity tags differ (RFC 9110, section 8.8.3.3).
  const tag = gzipped ? `"${file.tag}-gzip"` : `"${file.tag}"`;
  ctx.set({ ...file.headers, ETag: tag });
  if (isNotModified(ctx.get('if-none-match'), tag)) return void (ctx.status = 304);
  if (gzipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = gzipped ? await gzipped() : file.content;
}

function onceGzipped(bytes: Buffer): () => Promise<Buffer> {
  let result: Promise<Buffer> | undefined;
  return () => (result ??= promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }));
}
