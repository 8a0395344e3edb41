import { z } from 'zod';

/** The user, from the claims of a verified token. */
export type AuthenticatedUser = { userId: number; mayWriteForOthers: boolean };

export type ClaimRules = { userClaim: string; requireExpiry: boolean; clockToleranceSeconds: number };

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
 * Validates the claims of a verified token (RFC 7519, section 4.1). jsonwebtoken does not require `exp` or check its
 * type. `nbf` and `iat` may be ahead of this clock by the tolerance; `exp` has no tolerance.
 * @returns a function that throws z.ZodError for invalid claims
 */
export function claimsReader({ userClaim, requireExpiry, clockToleranceSeconds }: ClaimRules): (payload: unknown) => AuthenticatedUser {
  const latestSeconds = (): number => Math.floor(Date.now() / 1_000) + clockToleranceSeconds;
  const notInFuture = seconds.refine((time) => time <= latestSeconds());
  const Claims = z.object({
    exp: requireExpiry ? seconds : seconds.optional(),
    nbf: notInFuture.optional(),
    iat: notInFuture.optional(),
    scope: scopes.optional(),
  });
  return (payload) => {
    const { scope } = Claims.parse(payload);
    const userId = UserId.parse((payload as Record<string, unknown>)[userClaim]);
    return { userId, mayWriteForOthers: scope?.includes(WRITE_FOR_OTHERS) ?? false };
  };
}
