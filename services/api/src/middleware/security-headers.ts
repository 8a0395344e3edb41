import type { ApiMiddleware } from '../state.ts';

/** For every answer: it is data, for its caller alone, and no page may be made of it. A route may allow more caching. */
export const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Only told where TLS is in use (RFC 6797), and for this host alone: others of the domain are not ours to decide about. */
const HSTS = 'max-age=31536000';

export function securityHeaders(): ApiMiddleware {
  return (ctx, next) => {
    ctx.set(SECURITY_HEADERS);
    if (ctx.secure) ctx.set('Strict-Transport-Security', HSTS);
    return next();
  };
}
