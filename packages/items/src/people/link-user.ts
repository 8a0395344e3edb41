import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { blockedAmong, shareBlock } from './blocked-users.ts';

type User = { userId: number; username: string; credential: string };

/** The account may be that of an erased user, whose block it keeps. @throws errors of the database, if another user has it */
export async function addUser(database: Database, username: string, credential: string): Promise<{ userId: number; isBlocked: boolean }> {
  return database.transaction(async (tx) => {
    const insert = `insert into users (username, credential) values ($1, $2) returning user_id`;
    const [user] = await tx.query<{ userId: number }>(insert, [username, credential]);
    if (!user) throw new Error('The user was not stored.');
    return { userId: user.userId, isBlocked: await shareBlock(tx, user.userId, [credential]) };
  });
}

/**
 * Gives a user the account of a provider. The user whom a first sign-in with this account has made is removed, if there
 * is nothing of this user. A block holds for both accounts.
 * @returns the id of the user that was removed, and whether the other one is blocked · @throws Error that says why the account cannot be linked
 */
export async function linkUser(database: Database, userId: number, credential: string): Promise<{ removed?: number; isBlocked: boolean }> {
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
    const isBlocked = await shareBlock(tx, userId, [user.credential, credential]);
    return { isBlocked, ...(other && { removed: other.userId }) };
  });
}

/** The locked row of the user keeps others from adding items and ratings meanwhile. */
async function removeEmpty(tx: Tx, other: User, user: User): Promise<void> {
  const [has] = await tx.query<{ items: boolean; ratings: boolean }>(
    `select exists (select from content where creator_id = $1) as items, exists (select from rating where user_id = $1) as ratings`,
    [other.userId],
  );
  const isBlocked = (await blockedAmong(tx, [other.userId])).size > 0;
  const found = Object.entries({ ...has, 'a block': isBlocked }).flatMap(([what, isThere]) => (isThere ? [what] : []));
  if (found.length > 0)
    throw new Error(
      `User ${other.userId} (${other.username}) has this account and ${found.join(' and ')}, so it cannot be given to user ` +
        `${user.userId} (${user.username}). Deleted items count until they are purged.`,
    );
  await tx.query(`delete from rename_progress where user_id = $1`, [other.userId]);
  await tx.query(`delete from idempotency_key where user_id = $1`, [other.userId]);
  await tx.query(`delete from users where user_id = $1`, [other.userId]);
}
