import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { hashCredential } from './blocked-users.ts';

type User = { userId: number; username: string; credential: string };

/**
 * Gives a user the account of a provider. The user whom a first sign-in with this account has made is removed, if there
 * is nothing of this user.
 * @returns the id of the user that was removed · @throws Error that says why the account cannot be linked
 */
export async function linkUser(database: Database, userId: number, credential: string): Promise<{ removed?: number }> {
  return database.transaction(async (tx) => {
    const users = await tx.query<User>(
      `select user_id, username, credential from users where user_id = $1 or credential collate "C" = $2 order by user_id for update`,
      [userId, credential],
    );
    const user = users.find((each) => each.userId === userId);
    if (!user) throw new Error(`There is no user ${userId}.`);
    const other = users.find((each) => each.userId !== userId);
    if (other) await removeEmpty(tx, other, user);
    await tx.query(`update users set credential = $2 where user_id = $1`, [userId, credential]);
    await tx.query(`update blocked_user set credential_hash = $2 where user_id = $1`, [userId, hashCredential(credential)]);
    return other ? { removed: other.userId } : {};
  });
}

/** The locked row of the user keeps others from adding items and ratings meanwhile. */
async function removeEmpty(tx: Tx, other: User, user: User): Promise<void> {
  const [has] = await tx.query<{ items: boolean; ratings: boolean; block: boolean }>(
    `select exists (select from content where creator_id = $1) as items, exists (select from rating where user_id = $1) as ratings,
       exists (select from blocked_user where user_id = $1) as block`,
    [other.userId],
  );
  const found = Object.entries(has ?? {}).flatMap(([what, isThere]) => (isThere ? [what === 'block' ? 'a block' : what] : []));
  if (found.length > 0)
    throw new Error(
      `User ${other.userId} (${other.username}) has this account and ${found.join(' and ')}, so it cannot be given to user ` +
        `${user.userId} (${user.username}). Deleted items count until they are purged.`,
    );
  await tx.query(`delete from rename_progress where user_id = $1`, [other.userId]);
  await tx.query(`delete from idempotency_key where user_id = $1`, [other.userId]);
  await tx.query(`delete from users where user_id = $1`, [other.userId]);
}
