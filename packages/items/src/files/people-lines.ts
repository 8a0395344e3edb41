import { z } from 'zod';
import { Rating } from '../changes/ratings.ts';
import { validate } from '../fields/json.ts';
import { visibleText } from '../fields/text.ts';
import { Credential, UserName } from '../people/token-users.ts';
import { optional, pastTime } from './fields.ts';

const HASH_RULE = 'must be a SHA-256 of 64 hexadecimal digits';

/** What an export of people has besides the items: users, also those without items, who has rated what, and blocks. */
const PEOPLE = {
  user: z.object({ credential: Credential, username: UserName, createdAt: optional(pastTime) }),
  rating: z.object({ externalId: visibleText({ max: 200 }), credential: Credential, score: Rating.shape.score }),
  block: z.object({
    credentialHash: z.string(HASH_RULE).regex(/^[\da-f]{64}$/, HASH_RULE),
    /** That of the user, who may have had the blocked one before. */
    credential: optional(Credential),
    since: optional(pastTime),
    reason: optional(visibleText({ max: 1_000 })),
  }),
};

const KINDS = Object.keys(PEOPLE) as (keyof typeof PEOPLE)[];

export type PeopleLines = { [Kind in keyof typeof PEOPLE]: z.input<(typeof PEOPLE)[Kind]> };
export type UserLine = { kind: 'user' } & z.output<typeof PEOPLE.user>;
export type RatingLine = { kind: 'rating' } & z.output<typeof PEOPLE.rating>;
export type BlockLine = { kind: 'block' } & z.output<typeof PEOPLE.block>;
export type PersonLine = UserLine | RatingLine | BlockLine;

/**
 * Whether a line without `externalId` is of an export of people: its `user`, `rating` or `block` is an object. Files of other
 * programs have columns with these names, and an item may have more beside them.
 */
export function isOfPeople(value: unknown): value is object {
  const kind = kindOf(value);
  if (kind === undefined) return false;
  return Object.keys(value as object).every((name) => name in PEOPLE) || PEOPLE[kind].safeParse((value as PeopleLines)[kind]).success;
}

function kindOf(value: unknown): keyof PeopleLines | undefined {
  if (!isObject(value) || 'externalId' in value) return undefined;
  return KINDS.find((kind) => isObject(value[kind]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns undefined for the line of an item · @throws Problem */
export function readPersonLine(value: unknown): PersonLine | undefined {
  const kind = isOfPeople(value) ? kindOf(value) : undefined;
  if (kind === 'user') return { kind, ...validate(z.object({ user: PEOPLE.user }), value).user };
  if (kind === 'rating') return { kind, ...validate(z.object({ rating: PEOPLE.rating }), value).rating };
  return kind && { kind, ...validate(z.object({ block: PEOPLE.block }), value).block };
}

/** @returns what distinguishes a line from the others of its kind */
export function keyOfPerson(line: PersonLine): string {
  if (line.kind === 'user') return line.credential;
  return line.kind === 'rating' ? `${line.externalId}\0${line.credential}` : line.credentialHash;
}
