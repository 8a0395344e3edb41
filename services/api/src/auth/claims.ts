import { z } from 'zod';

/** Who calls, taken from a verified token and nothing else. */
export type Caller = { userId: number; mayWriteForOthers: boolean };

const WRITE_FOR_OTHERS = 'content:write:any';
const CLOCK_SKEW_SECONDS = 60;

const seconds = z.int().positive();
const userId = z.union([
  z.int().positive(),
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .pipe(z.int().positive()),
]);
const scopes = z.union([z.string().transform((value) => value.split(' ')), z.array(z.string())]);

/**
 * What a verified token must say: jsonwebtoken checks `exp` and `nbf` only where they are present and does not mind their type.
 * @throws z.ZodError
 */
export function parseClaims(payload: unknown, { userClaim, requireExpiry }: { userClaim: string; requireExpiry: boolean }): Caller {
  const Claims = z.object({
    exp: requireExpiry ? seconds : seconds.optional(),
    nbf: seconds.optional(),
    iat: seconds.max(Math.floor(Date.now() / 1_000) + CLOCK_SKEW_SECONDS).optional(),
    scope: scopes.optional(),
    user: userId,
  });
  const given = z.record(z.string(), z.unknown()).parse(payload);
  const claims = Claims.parse({ ...given, user: given[userClaim] });
  return { userId: claims.user, mayWriteForOthers: claims.scope?.includes(WRITE_FOR_OTHERS) ?? false };
}
