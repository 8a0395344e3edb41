import type { Tx } from '@ugc/shared/postgres/postgres';
import type { ErrorDetail } from '../http/problem.ts';
import type { ImportLine } from './import-line.ts';

type User = { userId: number; credential: string };

/**
 * Finds the creators of new items, and adds those that have a name and are missing.
 * @param usernames the names that earlier lines have given; those of these lines are added
 * @returns what is wrong, or the user id
 */
export async function findCreators(
  tx: Tx,
  lines: ImportLine[],
  usernames = new Map<string, string>(),
): Promise<(line: ImportLine) => number | ErrorDetail> {
  const creators = lines.flatMap(({ creator }) => creator ?? []);
  for (const { credential, username } of creators) if (username !== undefined) usernames.set(credential, username);
  const credentials = [...new Set(creators.map(({ credential }) => credential))];
  const ids = await byCredential(tx, credentials);
  const added = credentials.filter((credential) => usernames.has(credential) && !ids.has(credential));
  if (added.length > 0) {
    // The rows have the order of the credentials, so that no two imports wait for each other.
    await tx.query(
      `insert into users (username, credential) select * from unnest($1::text[], $2::text[]) u (username, credential)
       order by credential collate "C" on conflict (credential collate "C") do nothing`,
      [added.map((credential) => usernames.get(credential)), added],
    );
    for (const [credential, userId] of await byCredential(tx, added)) ids.set(credential, userId);
  }
  const present = new Set(await presentIds(tx, lines));
  return ({ creatorId, creator }) => {
    if (creatorId !== undefined) return present.has(creatorId) ? creatorId : { pointer: '#/creatorId', detail: 'is not the id of a user' };
    return (
      ids.get(creator?.credential ?? '') ?? { pointer: '#/creator/username', detail: 'is required: there is no user with this credential' }
    );
  };
}

async function byCredential(tx: Tx, credentials: string[]): Promise<Map<string, number>> {
  if (credentials.length === 0) return new Map();
  const rows = await tx.query<User>('select user_id, credential from users where credential collate "C" = any($1)', [credentials]);
  return new Map(rows.map(({ credential, userId }) => [credential, userId]));
}

async function presentIds(tx: Tx, lines: ImportLine[]): Promise<number[]> {
  const ids = [...new Set(lines.flatMap(({ creatorId }) => creatorId ?? []))];
  if (ids.length === 0) return [];
  return (await tx.query<{ userId: number }>('select user_id from users where user_id = any($1)', [ids])).map(({ userId }) => userId);
}
