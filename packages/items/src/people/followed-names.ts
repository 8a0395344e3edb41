import { bulkBackpressure } from '@ugc/shared/outbox/backlog';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { touchBatch } from './rename-user.ts';

/** Another process may have stopped in the middle of a rename. */
const POLL_EVERY_MS = 30_000;

/** Indexes the items of users again whose name has followed a token, as slowly as `users rename`. Any process continues. */
export function indexFollowedNames(database: Database, log: Log): Repetition {
  const stopping = new AbortController();
  const onError = (err: unknown): void => log.warn({ err }, 'the items of a renamed user could not be indexed again; this is repeated');
  return repeat(() => carryAll(database, stopping.signal), { everyMs: POLL_EVERY_MS, onError, stopping });
}

/** One batch of each user in turn: a user with many items, or whose name changes again and again, delays the others little. */
export async function carryAll(database: Database, signal: AbortSignal): Promise<void> {
  const waitForBacklog = bulkBackpressure(database, { signal });
  // An operator's own rename is continued by the same command.
  const next = `select user_id from rename_progress join users using (user_id) where name_issued_at is not null
    order by user_id <= $1, user_id limit 1`;
  for (let last = 0; ;) {
    const [user] = await database.query<{ userId: number }>(next, [last]);
    if (!user) return;
    signal.throwIfAborted();
    await waitForBacklog();
    await touchBatch(database, user.userId);
    last = user.userId;
  }
}

type TokenName = { userId: number; name: string; issuedAt: number };

/**
 * Gives a user the name of a token, unless a token that was issued later has given another one: tokens of several devices
 * are valid at the same time. The items are to be indexed again afterwards: see `indexFollowedNames`.
 * @returns whether the name has changed
 */
export async function followName(database: Database, { userId, name, issuedAt }: TokenName): Promise<boolean> {
  const renamed = await database.write(
    `with renamed as (
       update users set username = $2, name_issued_at = to_timestamp($3)
       where user_id = $1 and username <> $2 and (name_issued_at is null or name_issued_at < to_timestamp($3))
       returning user_id
     )
     insert into rename_progress (user_id) select user_id from renamed
     on conflict (user_id) do update set after_content_id = 0
     returning 1`,
    [userId, name, issuedAt],
  );
  return renamed.length > 0;
}
