import type { Context } from 'koa';
import { ipAddress } from '../http/ip-address.ts';
import { Problem } from '../http/problem.ts';
import type { RateLimits } from '../traffic/rate-limits.ts';
import type { ApiMiddleware, State } from '../state.ts';

export function limitFailedTokens(rateLimits: RateLimits): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const user = (ctx.state as Partial<State>).user;
      // Without a user, a Problem means an invalid token; KeysUnavailable is not a Problem.
      if (!user && error instanceof Problem) await rateLimits.count('requests without a valid token', clientNetwork(clientOf(ctx)));
      throw error;
    }
  };
}

/**
 * The nearest entries of X-Forwarded-For, as many as there are trusted proxies, then the address of the connection. An
 * entry that is no address, such as `unknown`, could differ with every request: then the next one counts, of a nearer
 * proxy. Empty entries are no entries (RFC 9110, section 5.6.1).
 */
function clientOf({ app, req }: Context): string {
  const entries = String(req.headers['x-forwarded-for'] ?? '').split(',');
  const hops = app.proxy ? entries.filter((entry) => entry.trim() !== '').slice(-app.maxIpsCount) : [];
  const connection = req.socket.remoteAddress ?? '';
  return [...hops, connection].find((entry) => ipAddress(entry) !== undefined) ?? connection;
}

/** The IPv4 address, or the /64 prefix of an IPv6 address: providers assign a /64 or more per customer (RFC 6177). */
export function clientNetwork(address: string): string {
  const ip = ipAddress(address) ?? address;
  return ip.includes(':') ? ip.split(':').slice(0, 4).join(':') : ip;
}
