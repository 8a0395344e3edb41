import { bulkBackpressure, BULK_BATCH_SIZE, type BackpressureOptions } from '@ugc/shared/outbox/backlog';
import { listItemsInOutbox } from '@ugc/shared/outbox/item-states';
import type { Database } from '@ugc/shared/postgres/postgres';
import { setTimeout as delay } from 'node:timers/promises';
import { HIDEABLE, hideItems, showItems } from '../changes/hidden-content.ts';
import { hashCredential, hashOf } from './blocked-users.ts';

/** What creators read of items that a block has hidden, unless the operator says something else. */
export const HIDDEN_BY_BLOCK = 'The user is blocked.';
/** By then every process knows of the block, and the uploads that it accepted before have ended. */
const KNOWN_AFTER_MS = 8_000;
const HIDDEN_WAIT_MAX_MS = 10_000;
const POLL_EVERY_MS = 100;

/** @param done how many items so far */
type Progress = (done: number) => void;
type Pace = BackpressureOptions & { progress?: Progress };

/** Again, it changes the reason. @returns false without such a user */
export async function blockUser(database: Database, userId: number, reason: string | undefined): Promise<boolean> {
  return database.transaction(async (tx) => {
    // The credential cannot change meanwhile.
    const [user] = await tx.query<{ credential: string }>('select credential from users where user_id = $1 for key share', [userId]);
    if (!user) return false;
    await tx.query('update blocked_user set reason = coalesce($2, reason) where user_id = $1', [userId, reason ?? null]);
    await tx.query(
      `insert into blocked_user (credential_hash, user_id, reason) values ($1, $2, $3)
       on conflict (credential_hash) do update set user_id = excluded.user_id, reason = coalesce(excluded.reason, blocked_user.reason)`,
      [hashCredential(user.credential), userId, reason ?? null],
    );
    return true;
  });
}

/** With each credential that the user had during the block, or that an erased user had. @returns false if the user is not blocked */
export async function unblockUser(database: Database, userId: number): Promise<boolean> {
  const unblocked = await database.write(
    `delete from blocked_user where user_id = $1
       or credential_hash = (select ${hashOf('credential')} from users where user_id = $1) returning 1`,
    [userId],
  );
  return unblocked.length > 0;
}

/**
 * Hides the items of a blocked user, before all other changes, and those that are stored until every process knows of the
 * block, also by an import. After a stop, the same call continues. @returns the number of items
 */
export async function hideItemsOf(
  database: Database,
  userId: number,
  reason = HIDDEN_BY_BLOCK,
  { progress, signal }: Pace = {},
): Promise<number> {
  const begunAt = performance.now();
  let done = 0;
  for (let [after, isLast] = [0, false]; ;) {
    const ids = await nextItems(database, userId, after);
    const hidden = await database.transaction((tx) => hideItems(tx, ids, { moderator: null, reason, byBlock: true }));
    done += hidden.length;
    progress?.(done);
    await untilWritten(database, ids, signal);
    after = ids.at(-1) ?? 0;
    if (after > 0) continue;
    if (isLast) return done;
    isLast = true;
    await delay(Math.max(0, KNOWN_AFTER_MS - (performance.now() - begunAt)), undefined, { signal });
    // Waits for the transactions that store items of the user: each of them locks this row before it asks for the block.
    await database.query('select from users where user_id = $1 for update', [userId]);
  }
}

async function nextItems(database: Database, userId: number, after: number): Promise<number[]> {
  const rows = await database.query<{ contentId: number }>(
    `select content_id from content c
     where creator_id = $1 and content_id > $2 and ${HIDEABLE} order by content_id limit ${BULK_BATCH_SIZE}`,
    [userId, after],
  );
  return rows.map(({ contentId }) => contentId);
}

/** Hidden items go before all other changes, so the backlog says nothing about when it is their turn. */
async function untilWritten(database: Database, ids: number[], signal: AbortSignal | undefined): Promise<void> {
  const deadline = performance.now() + HIDDEN_WAIT_MAX_MS;
  while (performance.now() < deadline && (await listItemsInOutbox(database, ids)).size > 0)
    await delay(POLL_EVERY_MS, undefined, { signal });
}

/** Shows the items that a block has hidden. After a stop, the same call continues. @returns their number */
export async function showItemsOf(database: Database, userId: number, { progress, ...pace }: Pace = {}): Promise<number> {
  const waitForBacklog = bulkBackpressure(database, pace);
  let done = 0;
  for (;;) {
    const rows = await database.query<{ contentId: number }>(
      `select content_id from hidden_content where creator_id = $1 and by_block order by content_id limit ${BULK_BATCH_SIZE}`,
      [userId],
    );
    if (rows.length === 0) return done;
    await waitForBacklog();
    await database.transaction((tx) =>
      showItems(
        tx,
        rows.map(({ contentId }) => contentId),
      ),
    );
    done += rows.length;
    progress?.(done);
  }
}
