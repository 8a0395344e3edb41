import ipaddr from 'ipaddr.js';
import type { Context, Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { isIP } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Problem } from '@ugc/items/problems/problem';
import type { State } from '../auth/authenticate.ts';
import type { RateLimits } from './rate-limits.ts';
import { disconnectSignal } from './request-limits.ts';
import { tooManyRequests } from './request-slots.ts';
import { Shares } from './shares.ts';

const MAX_NETWORKS = 10_000;

/** Limits the requests without a valid token of each network of clients. */
export class FailedTokens {
  readonly #rateLimits: RateLimits;
  /** The networks above their limit. */
  readonly #exceeded = new LRUCache<string, true>({ max: MAX_NETWORKS });
  readonly #verifying = new Shares<string>({ user: 1, process: Infinity }, { toError: tooManyRequests });

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
        if (!ctx.state.user && error instanceof Problem) ctx.set(await this.#countOne(networkOf(ctx)));
        throw error;
      }
    };
  }

  /**
   * Above the limit of its network, waits until no other token of the network is verified, in another turn of the event
   * loop: guessing tokens takes processor time, and a valid token of the network must still be accepted.
   * @returns a function to call when the token is verified · @throws ClientDisconnected · Problem 429 if its turn does not come
   */
  async waitToVerify(ctx: Context): Promise<() => void> {
    const network = networkOf(ctx);
    if (!this.#exceeded.has(network)) return () => undefined;
    const turn = await this.#verifying.wait(network, 1, disconnectSignal(ctx.res));
    await setImmediate();
    return turn.release;
  }

  async #countOne(network: string): Promise<Record<string, string>> {
    return this.#rateLimits.count('requests without a valid token', network).catch((error: unknown) => {
      if (error instanceof Problem) this.#exceeded.set(network, true, { ttl: Number(error.headers['Retry-After']) * 1_000 });
      throw error;
    });
  }
}

/**
 * The farthest entry of X-Forwarded-For that trusted proxies have set, or the address of the connection. An entry that is no
 * address, such as `unknown`, could differ with every request: then the next one counts, of a nearer proxy.
 */
function networkOf({ ips, req }: Context): string {
  const connection = req.socket.remoteAddress ?? '';
  return clientNetwork([...ips, connection].find((entry) => parseAddress(entry) !== undefined) ?? connection);
}

/** The IPv4 address, or the /64 prefix of an IPv6 address: providers assign a /64 or more per customer (RFC 6177). */
export function clientNetwork(entry: string): string {
  const address = parseAddress(entry);
  if (!address) return entry;
  const toHex = (part: number): string => part.toString(16);
  return 'parts' in address ? address.parts.slice(0, 4).map(toHex).join(':') : address.toString();
}

/** An address in brackets, or with a port: a full IPv6 address has eight groups, so that a ninth is a port. */
const WITH_PORT = /^(?:\[(?<inBrackets>[^\]]+)\](?::\d{1,5})?|(?<before>[^:]+|(?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5})$/i;

/**
 * Some proxies write an address with a port, brackets, quotes or a zone.
 * @returns undefined if the entry is no address. `isIP` refuses the octal and shortened notations that ipaddr.js accepts.
 */
function parseAddress(entry: string) {
  const bare = entry.trim().replaceAll(/^"|"$/g, '');
  const { inBrackets, before = bare } = WITH_PORT.exec(bare)?.groups ?? {};
  const address = (inBrackets ?? before).replace(/%.*$/, '');
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}
