import { ConfigurationError, parseEnv } from '@ugc/shared/config/env';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { secretsIn, tokenFields } from '../env.ts';

/** In production an identity provider issues the tokens. @throws ConfigurationError without JWT_SECRET */
export async function signDevelopmentToken(
  env: NodeJS.ProcessEnv,
  { userId, hours, scope }: { userId: number; hours: number; scope?: string | undefined },
): Promise<string> {
  const rules = parseEnv(z.object(tokenFields), env);
  if (rules.JWT_SECRET === undefined) throw new ConfigurationError(['JWT_SECRET: is needed to sign a token; start the local stack first']);
  const token = new SignJWT({ [rules.JWT_USER_CLAIM]: String(userId), ...(scope !== undefined && { [rules.JWT_SCOPE_CLAIM]: scope }) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setExpirationTime(Math.floor(Date.now() / 1_000) + Math.round(hours * 3_600));
  if (rules.JWT_ISSUER !== undefined) token.setIssuer(rules.JWT_ISSUER);
  if (rules.JWT_AUDIENCE !== undefined) token.setAudience(rules.JWT_AUDIENCE);
  return token.sign(new TextEncoder().encode(secretsIn(rules.JWT_SECRET)[0]));
}
