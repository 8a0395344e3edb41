import jwt from 'koa-jwt';
import type { Context, Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import type { ApiEnv } from '../env.ts';
import { invalidToken, KeysUnavailable } from '../http/problem.ts';
import { claimsReader, type AuthenticatedUser } from './claims.ts';
import { REMEMBERED_MS, type Keys, type TokenHeader } from './keys.ts';

export type State = { requestId: string; traceId?: string | undefined; route?: string; user: AuthenticatedUser };

/** @returns a function to call when the token is verified */
type WaitToVerify = (ctx: Context) => Promise<() => void>;

/**
 * Requires a valid token. Every invalid token gets the same 403 response.
 * @param waitToVerify waits until a token that is not remembered may be verified
 */
export function authenticate(keys: Keys, rules: ApiEnv, waitToVerify: WaitToVerify): Middleware<State> {
  const verify = jwt({
    secret: (header: TokenHeader) => keyFor(keys, header),
    algorithms: keys.algorithms,
    passthrough: true,
    key: 'token',
    // `claimsReader` checks it: jsonwebtoken has a single tolerance for both `nbf` and `exp`.
    ignoreNotBefore: true,
    ...(rules.JWT_ISSUER !== undefined && { issuer: rules.JWT_ISSUER }),
    ...(rules.JWT_AUDIENCE !== undefined && rules.JWT_AUDIENCE_CLAIM === 'aud' && { audience: rules.JWT_AUDIENCE }),
  } as unknown as jwt.Options);
  const readClaims = claimsReader(rules);
  const verified = new VerifiedTokens(REMEMBERED_MS);
  keys.onFetch(() => verified.clear());
  return async (ctx, next) => {
    // Node uses the first of several headers; a proxy might use another one.
    if ((ctx.req.headersDistinct['authorization'] ?? []).length > 1) throw invalidToken('more than one Authorization header');
    const authorization = ctx.get('authorization');
    const user = verified.find(authorization);
    if (user) {
      ctx.state.user = user;
      return next();
    }
    const endVerifying = await waitToVerify(ctx);
    return verify(ctx, () => {
      endVerifying();
      const claims = claimsOf(ctx.state as Decoded, readClaims);
      verified.add(authorization, claims.user, claims.exp);
      ctx.state.user = claims.user;
      return next();
    }).finally(endVerifying);
  };
}

// Critical extensions (RFC 7515, section 4.1.11), and keys or key URLs inside the token (RFC 8725, section 3.10).
const FORBIDDEN_HEADERS = ['crit', 'jku', 'jwk', 'x5u', 'x5c'];
/** Other token types, such as logout tokens, may be signed with the same key (RFC 8725, section 3.11). */
const ACCESS_TOKEN = /^(application\/)?(at\+)?jwt$/i;

async function keyFor(keys: Keys, header: TokenHeader) {
  const forbidden = FORBIDDEN_HEADERS.find((name) => name in header);
  if (forbidden) throw new Error(`the token header contains ${forbidden}`);
  if (header.typ !== undefined && !ACCESS_TOKEN.test(String(header.typ))) throw new Error('the token is not an access token');
  // Checked before the key lookup, so that a token that cannot be valid does not cause a fetch.
  if (!keys.algorithms.includes(header.alg)) throw new Error('the algorithm of the token is not accepted');
  return keys.find(header);
}

type ClaimsReader = ReturnType<typeof claimsReader>;
/** Set by koa-jwt with the option `passthrough`. */
type Decoded = { token?: unknown; jwtOriginalError?: unknown };

function claimsOf({ token, jwtOriginalError }: Decoded, readClaims: ClaimsReader): ReturnType<ClaimsReader> {
  if (jwtOriginalError instanceof KeysUnavailable) throw jwtOriginalError;
  if (token === undefined) throw invalidToken(jwtOriginalError);
  try {
    return readClaims(token);
  } catch (error) {
    throw invalidToken(error);
  }
}

const MAX_TOKENS = 5_000;
/** Longer headers are not remembered, which bounds the memory. */
const MAX_CHARACTERS = 2_048;

type Verified = { user: AuthenticatedUser; expiresAtMs: number };

/**
 * The users of valid Authorization headers, for at most a minute and never past the token's `exp`. Verifying an HS256
 * token takes a tenth of the processor time of a read, an RS256 token more.
 */
class VerifiedTokens {
  readonly #verified: LRUCache<string, Verified>;

  constructor(rememberedMs: number) {
    this.#verified = new LRUCache({ max: MAX_TOKENS, ttl: rememberedMs });
  }

  find(authorization: string): AuthenticatedUser | undefined {
    const verified = this.#verified.get(authorization);
    return verified && Date.now() < verified.expiresAtMs ? verified.user : undefined;
  }

  /** @param exp the token's expiry in seconds since 1970; undefined for a token without one */
  add(authorization: string, user: AuthenticatedUser, exp = Infinity): void {
    if (authorization.length > MAX_CHARACTERS) return;
    this.#verified.set(authorization, { user, expiresAtMs: exp * 1_000 });
  }

  clear(): void {
    this.#verified.clear();
  }
}
