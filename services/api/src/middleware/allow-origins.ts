import cors from '@koa/cors';
import type { ApiMiddleware } from '../state.ts';

/** What a page's script may send and read beyond what browsers always allow. */
const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer', 'X-Request-Id'];
const ANSWER_HEADERS = ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'X-Request-Id'];

/**
 * Lets pages of these origins call (CORS). A browser's preflight carries no token, so it is answered here; tokens travel in a header
 * that a page's script sets itself, so no credentials of the browser's own are allowed.
 */
export function allowOrigins(origins: string[]): ApiMiddleware {
  if (origins.length === 0) return (_, next) => next();
  return cors({
    origin: (ctx) => origins.find((origin) => origin === ctx.get('origin')) ?? '',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: REQUEST_HEADERS,
    exposeHeaders: ANSWER_HEADERS,
    maxAge: 600,
  }) as ApiMiddleware;
}
