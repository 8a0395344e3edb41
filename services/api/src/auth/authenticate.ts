import { errorMessage } from '@ugc/shared/process/error-message';
import jwt from 'koa-jwt';
import type { Context, Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import { ZodError } from 'zod';
import type { ApiEnv } from '../env.ts';
import { expiredToken, invalidToken, KeysUnavailable, missingToken } from '../http/problem-details.ts';
import type { LoggedState } from '../http/request-log.ts';
import { claimsReader } from './claims.ts';
import type { AuthenticatedUser } from '@ugc/items/account';
import { REMEMBERED_MS, type Keys, type TokenHeader } from './keys.ts';

export type State = LoggedState & { user: AuthenticatedUser };

/**
 * The valid Authorization headers of a minute are remembered, never past the token's `exp`: verifying an HS256 token takes
 * a tenth of the processor time of a read, an RS256 token more.
 */
const MAX_TOKENS = 5_000;
/** Longer headers are not remembered, which bounds the memory. */
const MAX_CHARACTERS = 2_048;

const BEARER = /^\s*bearer\s+\S/i;

/** @returns a function to call when the token is verified */
type WaitToVerify = (ctx: Context) => Promise<() => void>;

/** Only the log says why a token is invalid, unless its signature is right. `waitToVerify` waits until a token that is not remembered may be verified. */
export function authenticate(keys: Keys, rules: ApiEnv, waitToVerify: WaitToVerify): Middleware<State> {
  const verify = jwt({
    secret: (header: TokenHeader) => keyFor(keys, header),
    algorithms: keys.algorithms,
    passthrough: true,
    key: 'token',
    // `claimsReader` checks both, without a tolerance for `exp`. So the signature of a token that has expired is known to be right.
    ignoreNotBefore: true,
    ignoreExpiration: true,
    ...(rules.JWT_ISSUER !== undefined && { issuer: rules.JWT_ISSUER }),
    ...(rules.JWT_AUDIENCE !== undefined && rules.JWT_AUDIENCE_CLAIM === 'aud' && { audience: rules.JWT_AUDIENCE }),
  } as unknown as jwt.Options);
  const readClaims = claimsReader(rules);
  const verified = new LRUCache<string, AuthenticatedUser>({ max: MAX_TOKENS });
  keys.onFetch(() => verified.clear());
  return async (ctx, next) => {
    // Node uses the first of several headers; a proxy might use another one.
    if ((ctx.req.headersDistinct['authorization'] ?? []).length > 1) throw invalidToken('more than one Authorization header');
    const authorization = ctx.get('authorization');
    const user = verified.get(authorization);
    if (user) {
      ctx.state.user = user;
      return next();
    }
    if (!BEARER.test(authorization)) throw missingToken();
    const endVerifying = await waitToVerify(ctx);
    return verify(ctx, () => {
      endVerifying();
      const claims = claimsOf(ctx.state as Decoded, readClaims);
      const ttl = Math.floor(Math.min(REMEMBERED_MS, (claims.exp ?? Infinity) * 1_000 - Date.now()));
      if (authorization.length <= MAX_CHARACTERS && ttl > 0) verified.set(authorization, claims.user, { ttl });
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
  if (token === undefined) throw invalidToken(reasonOf(jwtOriginalError));
  try {
    return readClaims(token);
  } catch (error) {
    throw hasOnlyExpired(token, error) ? expiredToken(error) : invalidToken(reasonOf(error));
  }
}

/** The log must not have anything that the token contains. */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) {
    const claims = error.issues.map(({ path: [claim = 'scopes'] }) => String(claim));
    return `its claims are not valid: ${[...new Set(claims)].join(', ')}`;
  }
  // The parser quotes what it reads.
  return error instanceof SyntaxError ? 'it is not JSON' : errorMessage(error);
}

function hasOnlyExpired(token: unknown, error: unknown): boolean {
  const { exp } = token as { exp?: unknown };
  return (
    typeof exp === 'number' && exp <= Date.now() / 1_000 && error instanceof ZodError && error.issues.every(({ path }) => path[0] === 'exp')
  );
}
