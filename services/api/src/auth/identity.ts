import { createHash } from 'node:crypto';
import { z } from 'zod';

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

/** Who a token is for. `limitKey` is what limits per user count by; without a user id it is negative. */
export type Identity = { userId: number; limitKey: number } | { credential: string; limitKey: number };

/** U+FFFD replaces bytes that are not UTF-8, so that different subjects would look alike (RFC 8725, section 3.7). */
const Text = z
  .string()
  .regex(/\S/)
  .refine((text) => text.isWellFormed() && !/[\0\ufffd]/.test(text));
/** Not `0`, `01` or `-1`, which are mistyped user ids. Longer numbers are subjects of some providers. */
const Subject = Text.refine((text) => !/^[+-]?\d+$/.test(text) || Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER);

/**
 * A positive integer is the id of a user. Any other subject is that of an identity provider: its user has the credential
 * `issuer|subject`, with the text of both claims as it is in the token.
 * @throws z.ZodError
 */
export function identityOf(issuer: unknown, subject: unknown): Identity {
  const { data: userId } = UserId.safeParse(subject);
  if (userId !== undefined) return { userId, limitKey: userId };
  const credential = `${Text.parse(issuer)}|${Subject.parse(subject)}`;
  return { credential, limitKey: negativeHash(credential) };
}

/** An integer of 53 bits, which is never a user id. */
function negativeHash(text: string): number {
  const digest = createHash('sha256').update(text).digest();
  return -(digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) % 32)) - 1;
}
