import { z } from 'zod';
import type { ApiEnv } from '../env.ts';
import type { AuthenticatedUser } from '@ugc/items/account';
import { createHash } from 'node:crypto';

type Claims = { user: AuthenticatedUser; exp: number | undefined };

type ClaimRules = Pick<
  ApiEnv,
  | `JWT_${'USER_CLAIM' | 'NAME_CLAIM' | 'SCOPE_CLAIM' | 'AUDIENCE' | 'AUDIENCE_CLAIM' | 'REQUIRE_EXPIRY' | 'SUBJECTS_ARE_USER_IDS'}`
  | 'USERS_FROM_TOKENS'
>;

/** The clocks of two machines differ. */
const CLOCK_TOLERANCE_SECONDS = 60;

const WRITE_FOR_OTHERS = 'content:write:any';
const MODERATE = 'content:moderate';
const PUBLISH = 'content:publish';

/** RFC 7519 allows fractions. */
const seconds = z.number().positive().max(Number.MAX_SAFE_INTEGER);
const Scopes = z.union([z.string().transform((value) => value.split(' ')), z.array(z.string())]).optional();

/**
 * Validates claims (RFC 7519, section 4.1): jsonwebtoken neither requires `exp` nor checks its type. The tolerance for
 * the difference between clocks applies to `nbf` and `iat`, not to `exp`.
 * @returns a function that throws z.ZodError for invalid claims
 */
export function claimsReader(rules: ClaimRules): (payload: unknown) => Claims {
  const notInFuture = seconds.refine((time) => time <= Date.now() / 1_000 + CLOCK_TOLERANCE_SECONDS);
  // jsonwebtoken compares with the current time rounded down.
  const inFuture = seconds.refine((time) => time > Date.now() / 1_000);
  const schema = z.looseObject({
    exp: rules.JWT_REQUIRE_EXPIRY ? inFuture : inFuture.optional(),
    nbf: notInFuture.optional(),
    iat: notInFuture.optional(),
    ...ownAudience(rules),
  });
  return (payload) => {
    const claims = schema.parse(payload);
    return { user: userOf(claims, rules), exp: claims.exp };
  };
}

function ownAudience({ JWT_AUDIENCE: audience, JWT_AUDIENCE_CLAIM: claim }: ClaimRules): Record<string, z.ZodType> {
  if (audience === undefined || claim === 'aud') return {};
  return { [claim]: z.unknown().refine((value) => value === audience || (Array.isArray(value) && value.includes(audience))) };
}

/** Whether a subject that is a positive integer is the id of a user. */
export function subjectsAreUserIds(rules: Pick<ApiEnv, 'JWT_SUBJECTS_ARE_USER_IDS' | 'USERS_FROM_TOKENS'>): boolean {
  return rules.JWT_SUBJECTS_ARE_USER_IDS ?? !rules.USERS_FROM_TOKENS;
}

type ValidClaims = { iat?: number | undefined; [claim: string]: unknown };

function userOf(claims: ValidClaims, rules: ClaimRules): AuthenticatedUser {
  const identity = identityOf(claims['iss'], claims[rules.JWT_USER_CLAIM], subjectsAreUserIds(rules));
  const scopes = Scopes.parse(claims[rules.JWT_SCOPE_CLAIM]) ?? [];
  const rights = {
    limitKey: identity.limitKey,
    mayWriteForOthers: scopes.includes(WRITE_FOR_OTHERS),
    mayModerate: scopes.includes(MODERATE),
    mayPublish: scopes.includes(PUBLISH),
  };
  if ('userId' in identity) return { userId: identity.userId, account: undefined, ...rights };
  const account = { credential: identity.credential, name: claims[rules.JWT_NAME_CLAIM], issuedAt: claims.iat };
  return { userId: undefined, account, ...rights };
}

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

export type Identity = { userId: number; limitKey: number } | { credential: string; limitKey: number };

/** U+FFFD replaces bytes that are not UTF-8, so that different subjects would look alike (RFC 8725, section 3.7). */
const Text = z
  .string()
  .regex(/\S/)
  .refine((text) => text.isWellFormed() && !/[\0\ufffd]/.test(text));
/** With `|` in it, an issuer and its subjects could be read as another issuer with other subjects. */
const Issuer = Text.refine((text) => !text.includes('|'));
const Subject = z.union([Text, z.int().transform(String)]);
/** Not `0`, `01` or `-1`, which are mistyped user ids. Longer numbers are subjects of some providers. */
const SubjectBesideIds = Text.refine((text) => !/^[+-]?\d+$/.test(text) || Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER);

const AccountClaims = z.object({ iss: Issuer, subject: Subject });
const AccountBesideIds = z.object({ iss: Issuer, subject: SubjectBesideIds });

/**
 * The user of a subject has the credential `issuer|subject`, with the text of both claims as it is in the token. If
 * subjects are user ids, a positive integer is the id of a user instead.
 * @throws z.ZodError
 */
export function identityOf(issuer: unknown, subject: unknown, areUserIds: boolean): Identity {
  const { data: userId } = areUserIds ? UserId.safeParse(subject) : {};
  if (userId !== undefined) return { userId, limitKey: userId };
  const account = (areUserIds ? AccountBesideIds : AccountClaims).parse({ iss: issuer, subject });
  const credential = `${account.iss}|${account.subject}`;
  return { credential, limitKey: negativeHash(credential) };
}

/** An integer of 53 bits, which is never a user id. */
function negativeHash(text: string): number {
  const digest = createHash('sha256').update(text).digest();
  return -(digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) % 32)) - 1;
}
