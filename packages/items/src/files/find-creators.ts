import type { Tx } from '@ugc/shared/postgres/postgres';
import type { ErrorDetail } from '../problems/problem.ts';
import { blockedAmong, blockedCredentials, hashOf } from '../people/blocked-users.ts';
import type { ImportLine } from './import-line.ts';

export type Creator = { creatorId: number; isBlocked: boolean };

const NO_USER: ErrorDetail = { pointer: '#/creatorId', detail: 'is not the id of a user' };
const NO_CREDENTIAL: ErrorDetail = { pointer: '#/creator/username', detail: 'is required: there is no user with this credential' };
const BLOCKED_CREDENTIAL: ErrorDetail = {
  pointer: '#/creator/credential',
  detail: 'is that of a blocked account that no user has any more; npx pnpm users add, with this credential, and unblock end the block',
};

/**
 * `usernames`: the names that earlier lines have given; those of these lines are added. `skipsErased`: whether the file names
 * its users, so that none is added whom `erasedAmong` names. Other files say of each item who the creator is.
 */
type Finding = { usernames?: Map<string, string> | undefined; skipsErased: boolean };

/**
 * Finds the creators of new items, and adds those that have a name and are missing, but for accounts that are blocked.
 * @returns what is wrong, or the creator
 */
export async function findCreators(
  tx: Tx,
  lines: ImportLine[],
  { usernames = new Map<string, string>(), skipsErased }: Finding,
): Promise<(line: ImportLine) => Creator | ErrorDetail | 'erased'> {
  const creators = lines.flatMap(({ creator }) => creator ?? []);
  for (const { credential, username } of creators) if (username !== undefined) usernames.set(credential, username);
  const credentials = [...new Set(creators.map(({ credential }) => credential))];
  const present = new Set(await lockById(tx, lines));
  const ids = await lockByCredential(tx, credentials);
  const missing = credentials.filter((credential) => !ids.has(credential));
  const erased = skipsErased ? await erasedAmong(tx, missing) : new Set<string>();
  await addUsers(tx, missing.filter((credential) => !erased.has(credential)), usernames); // prettier-ignore
  for (const [credential, userId] of await lockByCredential(tx, missing)) ids.set(credential, userId);
  // Read after the locks: see `hideItemsOf`.
  const blockedIds = await blockedAmong(tx, [...present, ...ids.values()]);
  const withoutUser = missing.filter((credential) => !ids.has(credential));
  const blocked = await blockedCredentials(tx, withoutUser);
  return ({ creatorId, creator: { credential } = { credential: '' } }) => {
    const userId = creatorId === undefined ? ids.get(credential) : present.has(creatorId) ? creatorId : undefined;
    if (userId !== undefined) return { creatorId: userId, isBlocked: blockedIds.has(userId) };
    if (creatorId !== undefined) return NO_USER;
    if (erased.has(credential)) return 'erased';
    return blocked.has(credential) ? BLOCKED_CREDENTIAL : NO_CREDENTIAL;
  };
}

/** The rows have the order of the credentials, so that no two imports wait for each other. */
async function addUsers(tx: Tx, missing: string[], usernames: Map<string, string>): Promise<void> {
  const named = missing.filter((credential) => usernames.has(credential));
  if (named.length === 0) return;
  await tx.query(
    `insert into users (username, credential) select * from unnest($1::text[], $2::text[]) u (username, credential)
     where not exists (select from blocked_user where credential_hash = ${hashOf('credential')})
     order by credential collate "C" on conflict (credential collate "C") do nothing`,
    [named.map((credential) => usernames.get(credential)), named],
  );
}

/** @returns those without a user whom an operator has erased here, as far as a receipt tells, or blocked and erased */
export async function erasedAmong(tx: Tx, credentials: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ credential: string }>(
    `select given as credential from unnest($1::text[]) given
     where not exists (select from users where credential collate "C" = given) and (
       exists (select from blocked_user where credential_hash = ${hashOf('given')})
       or exists (select from user_erasure where credential_hash = ${hashOf('given')})
       or exists (select from erasure_receipt where receipt ->> 'credentialSha256' = encode(${hashOf('given')}, 'hex')))`,
    [credentials],
  );
  return new Set(rows.map(({ credential }) => credential));
}

/** @returns the ids of the users that there are */
export async function lockByCredential(tx: Tx, credentials: string[]): Promise<Map<string, number>> {
  if (credentials.length === 0) return new Map();
  const rows = await tx.query<{ userId: number; credential: string }>(
    'select user_id, credential from users where credential collate "C" = any($1) order by user_id for key share',
    [credentials],
  );
  return new Map(rows.map(({ credential, userId }) => [credential, userId]));
}

async function lockById(tx: Tx, lines: ImportLine[]): Promise<number[]> {
  const ids = [...new Set(lines.flatMap(({ creatorId }) => creatorId ?? []))];
  if (ids.length === 0) return [];
  const rows = await tx.query<{ userId: number }>('select user_id from users where user_id = any($1) order by user_id for key share', [
    ids,
  ]);
  return rows.map(({ userId }) => userId);
}
