import { createHash } from 'node:crypto';
import { storableText, visibleText } from '../http/text.ts';

/** The maximum lengths are those of the columns of `users`, in characters. */
const NAME_MAX = 200;
export const UserName = visibleText({ max: NAME_MAX });
export const Credential = storableText({ min: 1, max: 400 });

/** @returns the name in a claim, cut to the maximum length; undefined if the claim is missing or is no name */
export function nameFromClaim(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const name = [...claim.trim()].slice(0, NAME_MAX).join('').trim();
  return UserName.safeParse(name).success ? name : undefined;
}

/** A name for a user whose token contains none. It reveals neither issuer nor subject, and is always the same. */
export function substituteName(credential: string): string {
  return `User ${createHash('sha256').update(credential).digest('hex').slice(0, 8)}`;
}
