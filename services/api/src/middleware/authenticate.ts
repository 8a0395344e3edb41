import jwt from 'koa-jwt';
import { claimsReader, type AuthenticatedUser } from '../auth/claims.ts';
import { KeysUnavailable, type Keys, type TokenHeader } from '../auth/keys.ts';
import type { ApiEnv } from '../env.ts';
import { invalidToken } from '../http/problem.ts';
import type { ApiMiddleware } from '../state.ts';

type TokenRules = Pick<ApiEnv, 'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWT_USER_CLAIM' | 'JWT_REQUIRE_EXPIRY' | 'JWT_CLOCK_TOLERANCE_SECONDS'>;

/** Lets nobody past without a valid token, before anything of the request is looked at: 403, whatever is wrong with it. */
export function authenticate(keys: Keys, rules: TokenRules): ApiMiddleware {
  const verify = jwt({
    secret: (header: TokenHeader) => keyFor(keys, header),
    algorithms: keys.algorithms,
    passthrough: true,
    key: 'token',
    // Read with the other claims: jsonwebtoken has one tolerance for both `nbf` and `exp`.
    ignoreNotBefore: true,
    ...(rules.JWT_ISSUER !== undefined && { issuer: rules.JWT_ISSUER }),
    ...(rules.JWT_AUDIENCE !== undefined && { audience: rules.JWT_AUDIENCE }),
  } as unknown as jwt.Options);
  const readClaims = claimsReader({
    userClaim: rules.JWT_USER_CLAIM,
    requireExpiry: rules.JWT_REQUIRE_EXPIRY,
    clockToleranceSeconds: rules.JWT_CLOCK_TOLERANCE_SECONDS,
  });
  return (ctx, next) => {
    // Node would take the first of several, a proxy before us perhaps the last.
    if ((ctx.req.headersDistinct['authorization'] ?? []).length > 1) throw invalidToken('more than one Authorization header');
    return verify(ctx, () => {
      ctx.state.user = callerOf(ctx.state as Verified, readClaims);
      return next();
    });
  };
}

// Extensions that must be understood, and keys or places of keys that the token itself brings, are refused unseen (RFC 7515, RFC 8725).
const REFUSED_HEADERS = ['crit', 'jku', 'jwk', 'x5u', 'x5c'];
/** Other kinds of tokens may be signed with the same key, such as those that say that somebody has logged out. */
const ACCESS_TOKEN = /^(application\/)?(at\+)?jwt$/i;

async function keyFor(keys: Keys, header: TokenHeader) {
  const refused = REFUSED_HEADERS.find((name) => name in header);
  if (refused) throw new Error(`the token's header has ${refused}`);
  if (header.typ !== undefined && !ACCESS_TOKEN.test(String(header.typ))) throw new Error('the token is of another type');
  // No key is asked for, let alone fetched, for a token that no key could make valid.
  if (!keys.algorithms.includes(header.alg)) throw new Error("the token's algorithm is not accepted");
  return keys.find(header);
}

// What koa-jwt leaves in the state when it lets everybody through.
type Verified = { token?: unknown; jwtOriginalError?: unknown };

function callerOf({ token, jwtOriginalError }: Verified, readClaims: (payload: unknown) => AuthenticatedUser): AuthenticatedUser {
  if (jwtOriginalError instanceof KeysUnavailable) throw jwtOriginalError;
  if (token === undefined) throw invalidToken(jwtOriginalError);
  try {
    return readClaims(token);
  } catch (error) {
    throw invalidToken(error);
  }
}
