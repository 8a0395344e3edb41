import { ConfigurationError, parseEnv } from '@ugc/shared/config/env';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { secretsIn, tokenFields, type ApiEnv } from '../env.ts';

/** An identity provider issues the tokens in production. @throws ConfigurationError · Error if this service cannot sign tokens */
export async function signDevelopmentToken(
  env: NodeJS.ProcessEnv,
  { userId, hours, scope }: { userId: number; hours: number; scope?: string | undefined },
): Promise<string> {
  const rules = parseEnv(z.object(tokenFields), env);
  if (rules.JWT_SECRET === undefined) throw cannotSign(rules);
  const claims = {
    ...(rules.JWT_AUDIENCE !== undefined && { [rules.JWT_AUDIENCE_CLAIM]: rules.JWT_AUDIENCE }),
    ...(scope !== undefined && { [rules.JWT_SCOPE_CLAIM]: scope }),
    [rules.JWT_USER_CLAIM]: String(userId),
  };
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setExpirationTime(Math.floor(Date.now() / 1_000) + Math.round(hours * 3_600));
  if (rules.JWT_ISSUER !== undefined) token.setIssuer(rules.JWT_ISSUER);
  return token.sign(new TextEncoder().encode(secretsIn(rules.JWT_SECRET)[0]));
}

function cannotSign({ JWT_JWKS_URL: jwksUrl, JWT_PUBLIC_KEY: publicKey }: Pick<ApiEnv, 'JWT_JWKS_URL' | 'JWT_PUBLIC_KEY'>): Error {
  if (jwksUrl !== undefined)
    return new Error(
      `This service cannot sign tokens: it accepts those of the provider with the keys of ${jwksUrl} (JWT_JWKS_URL). ` +
        'Sign in on the web page and press "Copy token" there, or ask the provider for a token.',
    );
  if (publicKey !== undefined)
    return new Error('This service cannot sign tokens: it accepts those that are signed with the private key of JWT_PUBLIC_KEY.');
  return new ConfigurationError(['JWT_SECRET: is needed to sign a token; start the local stack first']);
}
