import { z } from 'zod';
import type { ApiEnv } from '../env.ts';

export type AuthenticatedUser = { userId: number; mayWriteForOthers: boolean };
/** `exp` is in seconds since 1970. */
type Claims = { user: AuthenticatedUser; exp: number | undefined };

type ClaimRules = Pick<ApiEnv, 'JWT_USER_CLAIM' | 'JWT_REQUIRE_EXPIRY' | 'JWT_CLOCK_TOLERANCE_SECONDS'>;

const WRITE_FOR_OTHERS = 'content:write:any';

const seconds = z.int().positive();
/** A positive integer, as a number or as decimal digits. */
export const UserId = z.union(
  [
    z.int().positive(),
    z
      .string()
      .regex(/^[1-9]\d{0,15}$/)
      .transform(Number)
      .pipe(z.int().positive()),
  ],
  { error: 'must be a positive integer' },
);
const scopes = z.union([z.string().transform((value) => value.split(' ')), z.array(z.string())]);

/**
 * Validates claims (RFC 7519, section 4.1): jsonwebtoken neither requires `exp` nor checks its type. The tolerance for
 * the difference between clocks applies to `nbf` and `iat`, not to `exp`.
 * @returns a function that throws z.ZodError for invalid claims
 */
export function claimsReader(rules: ClaimRules): (payload: unknown) => Claims {
  const { JWT_REQUIRE_EXPIRY: requireExpiry, JWT_CLOCK_TOLERANCE_SECONDS: clockToleranceSeconds } = rules;
  const latestSeconds = (): number => Math.floor(Date.now() / 1_000) + clockToleranceSeconds;
  const notInFuture = seconds.refine((time) => time <= latestSeconds());
  const schema = z.object({
    exp: requireExpiry ? seconds : seconds.optional(),
    nbf: notInFuture.optional(),
    iat: notInFuture.optional(),
    scope: scopes.optional(),
  });
  return (payload) => {
    const { scope, exp } = schema.parse(payload);
    const userId = UserId.parse((payload as Record<string, unknown>)[rules.JWT_USER_CLAIM]);
    return { user: { userId, mayWriteForOthers: scope?.includes(WRITE_FOR_OTHERS) ?? false }, exp };
  };
}
