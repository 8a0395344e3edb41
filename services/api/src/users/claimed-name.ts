import { createHash } from 'node:crypto';
import { UserName } from './user-fields.ts';

/** The maximum of `UserName`, in characters. */
const MAX_CHARACTERS = 200;

/** @returns the name in a claim, cut to the maximum length; undefined if the claim is missing or is no name */
export function nameFromClaim(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const name = [...claim.trim()].slice(0, MAX_CHARACTERS).join('').trim();
  return isVisible(name) && UserName.safeParse(name).success ? name : undefined;
}

/** A name for a user whose token contains none. It reveals neither issuer nor subject, and is always the same. */
export function substituteName(credential: string): string {
  return `User ${createHash('sha256').update(credential).digest('hex').slice(0, 8)}`;
}

function isVisible(text: string): boolean {
  return /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text);
}
