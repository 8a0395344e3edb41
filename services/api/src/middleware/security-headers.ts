import { SECURITY_HEADERS } from '../http/security-headers.ts';
import type { ApiMiddleware } from '../state.ts';

/** Sent over TLS only (RFC 6797), and without `includeSubDomains`: other hosts of the domain may not support TLS. */
const HSTS = 'max-age=31536000';

export function securityHeaders(): ApiMiddleware {
  return (ctx, next) => {
    ctx.set(SECURITY_HEADERS);
    if (ctx.secure) ctx.set('Strict-Transport-Security', HSTS);
    return next();
  };
}
