import cors from '@koa/cors';
import type { ApiMiddleware } from '../state.ts';

const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer', 'X-Request-Id'];
const RESPONSE_HEADERS = ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'Search-Correction', 'X-Request-Id'];

/** CORS, without browser credentials. Must run before `authenticate`, because a preflight request has no token. */
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
