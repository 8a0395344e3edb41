import jwt from 'koa-jwt';
import { claimsReader } from '../auth/claims.ts';
import { keyAges, KeysUnavailable, type Keys, type TokenHeader } from '../auth/keys.ts';
import { VerifiedTokens } from '../auth/verified-tokens.ts';
import type { ApiEnv } from '../env.ts';
import { invalidToken } from '../http/problem.ts';
import type { ApiMiddleware } from '../state.ts';

/** Requires a valid token. Every invalid token gets the same 403 response. */
export function authenticate(keys: Keys, rules: ApiEnv): ApiMiddleware {
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
  const verified = new VerifiedTokens(keyAges(rules).rememberedMs);
  keys.onFetch(() => verified.clear());
  return (ctx, next) => {
    // Node uses the first of several headers; a proxy might use another one.
    if ((ctx.req.headersDistinct['authorization'] ?? []).length > 1) throw invalidToken('more than one Authorization header');
    const authorization = ctx.get('authorization');
    const user = verified.find(authorization);
    if (user) {
      ctx.state.user = user;
      return next();
    }
    return verify(ctx, () => {
      const claims = claimsOf(ctx.state as Verified, readClaims);
      verified.add(authorization, claims.user, claims.exp);
      ctx.state.user = claims.user;
      return next();
    });
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
type Verified = { token?: unknown; jwtOriginalError?: unknown };

function claimsOf({ token, jwtOriginalError }: Verified, readClaims: ClaimsReader): ReturnType<ClaimsReader> {
  if (jwtOriginalError instanceof KeysUnavailable) throw jwtOriginalError;
  if (token === undefined) throw invalidToken(jwtOriginalError);
  try {
    return readClaims(token);
  } catch (error) {
    throw invalidToken(error);
  }
}
