import cors from '@koa/cors';
import type { ApiMiddleware } from '../state.ts';

/** Headers that scripts may send and read in addition to the CORS-safelisted ones. */
const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer', 'X-Request-Id'];
const RESPONSE_HEADERS = ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'X-Request-Id'];

/**
 * Allows pages of the given origins to send requests (CORS). Must run before `authenticate`, because a preflight
 * request has no token. Browser credentials are not allowed; scripts set the Authorization header themselves.
 */
export function allowOrigins(origins: string[]): ApiMiddleware {
  if (origins.length === 0) return (_, next) => next();
  return cors({
    origin: (ctx) => origins.find((origin) => origin === ctx.get('origin')) ?? '',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: REQUEST_HEADERS,
    exposeHeaders: RESPONSE_HEADERS,
    maxAge: 600,
  }) as ApiMiddleware;
}
