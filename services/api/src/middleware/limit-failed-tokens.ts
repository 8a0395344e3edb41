import { isIPv6 } from 'node:net';
import { Problem } from '../http/problem.ts';
import type { RateLimits } from '../traffic/rate-limits.ts';
import type { ApiMiddleware, State } from '../state.ts';

/** Counts the requests of each address that lack a valid token. Whoever has one is served, also from an address that is over its limit. */
export function limitFailedTokens(rateLimits: RateLimits): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const user = (ctx.state as Partial<State>).user;
      // A Problem without a caller is the refusal of a token; that keys can't be fetched is none.
      if (!user && error instanceof Problem) await rateLimits.count('requests without a valid token', networkOf(ctx.ip));
      throw error;
    }
  };
}

/** One customer has at least a /64 of IPv6 addresses, so those count as one. */
export function networkOf(address: string): string {
  const ip = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail ? Array.from({ length: 8 - head.length - tail.length }, () => '0') : [];
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}
