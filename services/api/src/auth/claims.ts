import { z } from 'zod';

/** Who calls, taken from a verified token and nothing else. */
export type AuthenticatedUser = { userId: number; mayWriteForOthers: boolean };

export type ClaimRules = { userClaim: string; requireExpiry: boolean; clockToleranceSeconds: number };

const WRITE_FOR_OTHERS = 'content:write:any';

const seconds = z.int().positive();
/** A number, or its decimal digits. */
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
 * Reads what a verified token must say: jsonwebtoken checks `exp` only where it is present, and does not mind its type. The clock of
 * whoever issued the token may be ahead by the tolerance; for `exp` there is none.
 * @returns a function that throws z.ZodError
 */
export function claimsReader({ userClaim, requireExpiry, clockToleranceSeconds }: ClaimRules): (payload: unknown) => AuthenticatedUser {
  const latest = (): number => Math.floor(Date.now() / 1_000) + clockToleranceSeconds;
  const notAhead = seconds.refine((time) => time <= latest());
  const Claims = z.object({
    exp: requireExpiry ? seconds : seconds.optional(),
    nbf: notAhead.optional(),
    iat: notAhead.optional(),
    scope: scopes.optional(),
  });
  return (payload) => {
    const { scope } = Claims.parse(payload);
    const userId = UserId.parse((payload as Record<string, unknown>)[userClaim]);
    return { userId, mayWriteForOthers: scope?.includes(WRITE_FOR_OTHERS) ?? false };
  };
}
