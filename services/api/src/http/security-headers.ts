import cors from '@koa/cors';
import { SECURITY_HEADERS } from '@ugc/shared/process/operations-server';
import type { Middleware } from 'koa';
import { Problem } from '@ugc/items/problems/problem';

/** Sent over TLS only (RFC 6797), and without `includeSubDomains`: other hosts of the domain may not support TLS. */
const HSTS = 'max-age=31536000';

export function securityHeaders(): Middleware {
  return (ctx, next) => {
    ctx.set(SECURITY_HEADERS);
    if (ctx.secure) ctx.set('Strict-Transport-Security', HSTS);
    return next();
  };
}

const TRACE_HEADERS = ['traceparent', 'tracestate'];
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Prefer',
  ...TRACE_HEADERS,
  'X-Request-Id',
];
const SEARCH_HEADERS = ['Search-Correction', 'Search-Ranking'];
const LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'Retry-After'];
const RESPONSE_HEADERS = ['ETag', 'Link', 'Location', 'Preference-Applied', ...LIMIT_HEADERS, ...SEARCH_HEADERS, 'X-Request-Id'];

/** CORS, without browser credentials. Must run before `authenticate`, because a preflight request has no token. */
export function allowOrigins(origins: string[]): Middleware {
  if (origins.length === 0) return (_, next) => next();
  return cors({
    origin: (ctx) => origins.find((origin) => origin === ctx.get('origin')) ?? '',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: REQUEST_HEADERS,
    exposeHeaders: RESPONSE_HEADERS,
    maxAge: 600,
  });
}

/** Refuses what `allowOrigins` leaves: else `authenticate` would ask for a token, which a preflight request never has. */
export function refusePreflights(origins: string[]): Middleware {
  return ({ method, headers: { origin, ...headers } }, next) => {
    const isPreflight = method === 'OPTIONS' && origin !== undefined && headers['access-control-request-method'] !== undefined;
    if (!isPreflight || origins.includes(origin)) return next();
    const detail = 'Pages of this origin may not send requests. An operator of the service can permit it (CORS_ORIGINS).';
    throw new Problem(403, 'origin-refused', detail);
  };
}
