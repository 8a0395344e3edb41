import type { Context, Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { isIPv4, isIPv6 } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../http/problem.ts';
import type { State } from '../auth/authenticate.ts';
import type { RateLimits } from './rate-limits.ts';
import { disconnectSignal } from './request-limits.ts';
import { Shares } from './shares.ts';

const MAX_NETWORKS = 10_000;

/** Limits the requests without a valid token of each network of clients. */
export class FailedTokens {
  readonly #rateLimits: RateLimits;
  /** The networks above their limit. */
  readonly #exceeded = new LRUCache<string, true>({ max: MAX_NETWORKS });
  readonly #verifying = new Shares<string>({ user: 1, process: Infinity });

  constructor(rateLimits: RateLimits) {
    this.#rateLimits = rateLimits;
  }

  /** Counts the requests without a valid token. @throws Problem 429 */
  count(): Middleware<Partial<State>> {
    return async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        // Without a user, a Problem means an invalid token; KeysUnavailable is not a Problem.
        if (!ctx.state.user && error instanceof Problem) await this.#countOne(clientNetwork(clientOf(ctx)));
        throw error;
      }
    };
  }

  /**
   * Above the limit of its network, waits until no other token of the network is verified, in another turn of the event
   * loop: guessing tokens takes processor time, and a valid token of the network must still be accepted.
   * @returns a function to call when the token is verified · @throws ClientDisconnected
   */
  async waitToVerify(ctx: Context): Promise<() => void> {
    const network = clientNetwork(clientOf(ctx));
    if (!this.#exceeded.has(network)) return () => undefined;
    const turn = await this.#verifying.wait(network, 1, disconnectSignal(ctx.res));
    await setImmediate();
    return turn.release;
  }

  async #countOne(network: string): Promise<void> {
    await this.#rateLimits.count('requests without a valid token', network).catch((error: unknown) => {
      if (error instanceof Problem) this.#exceeded.set(network, true, { ttl: Number(error.headers['Retry-After']) * 1_000 });
      throw error;
    });
  }
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

const WITH_PORT = /^(?<address>[^:]+):\d{1,5}$/;
/** A full IPv6 address has eight groups, so that a ninth is a port. */
const FULL_WITH_PORT = /^(?<address>(?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5}$/i;
const IN_BRACKETS = /^\[(?<address>[^\]]+)\](?::\d{1,5})?$/;
/** The IPv6 forms of an IPv4 address, as `canonical` returns them (RFC 4291, section 2.5.5.2). */
const MAPPED = /^0:0:0:0:0:ffff:(?<high>[\da-f]+):(?<low>[\da-f]+)$/;

/**
 * The address of an entry of X-Forwarded-For, which some proxies write with a port, brackets, quotes or a zone: an IPv4
 * address, or the eight groups of an IPv6 address without leading zeros.
 * @returns undefined if the entry is no address, such as `unknown`
 */
function ipAddress(entry: string): string | undefined {
  const bare = withoutPort(entry.trim().replaceAll(/^"|"$/g, ''));
  const address = bare.replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  const groups = canonical(address);
  const { high, low } = MAPPED.exec(groups)?.groups ?? {};
  return high === undefined || low === undefined ? groups : toIPv4(high, low);
}

function withoutPort(entry: string): string {
  if (isIPv6(entry)) return entry;
  const match = IN_BRACKETS.exec(entry) ?? FULL_WITH_PORT.exec(entry) ?? WITH_PORT.exec(entry);
  return match?.groups?.['address'] ?? entry;
}

// The URL parser writes an IPv4 address at the end as groups, and shortens zeros.
function canonical(address: string): string {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = [], tail] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail ? Array.from({ length: 8 - head.length - tail.length }, () => '0') : [];
  return [...head, ...zeros, ...(tail ?? [])].join(':');
}

function toIPv4(high: string, low: string): string {
  const [first, second] = [parseInt(high, 16), parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}
