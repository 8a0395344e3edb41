import { isIPv6 } from 'node:net';
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
      if (!user && error instanceof Problem) await rateLimits.count('requests without a valid token', clientNetwork(ctx.ip));
      throw error;
    }
  };
}

/** The IPv4 address, or the /64 prefix of an IPv6 address: providers assign a /64 or more per customer (RFC 6177). */
export function clientNetwork(address: string): string {
  const ip = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail ? Array.from({ length: 8 - head.length - tail.length }, () => '0') : [];
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}
