import { rowIsKept } from '@ugc/shared/contracts/hidden';
import { nextRevision, rowIsUnpublished } from '@ugc/shared/contracts/unpublished';
import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from '@ugc/shared/outbox/backlog';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import { forgetDroppedItems } from '@ugc/shared/outbox/rejected';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { setTimeout as delay } from 'node:timers/promises';
import { eraseItems, type Erased } from '../changes/change-content.ts';
import { hashOf } from './blocked-users.ts';

/** The creator of the tombstones of erased users, until they are purged. Ids of tokens and of requests begin with 1. */
export const RESERVED_USER = 0;

/** Rows that another transaction holds are left for the next batch. */
const RETRY_AFTER_MS = 50;

type Pace = BackpressureOptions & { progress?: ((done: number, total: number) => void) | undefined };

/**
 * Removes what PostgreSQL holds of a user, and also what the user stores meanwhile, a batch at a time. After a stop, the
 * same call continues. @returns false without such a user
 */
export async function eraseUser(database: Database, userId: number, { progress, ...pace }: Pace = {}): Promise<boolean> {
  if (!(await database.transaction((tx) => begin(tx, userId)))) return false;
  const waitForBacklog = bulkBackpressure(database, pace);
  const total = await countOwn(database, userId);
  for (let [done, after, isRemoved] = [0, 0, false]; !isRemoved;) {
    await waitForBacklog();
    const batch = await database.transaction((tx) => eraseBatch(tx, userId, after));
    done += batch.done;
    ({ after, isRemoved } = batch);
    progress?.(done, Math.max(done, total));
    if (batch.done === 0 && !isRemoved) await delay(RETRY_AFTER_MS, undefined, { signal: pace.signal });
  }
  await removeTraces(database, userId);
  return true;
}

async function begin(tx: Tx, userId: number): Promise<boolean> {
  await tx.query(
    `insert into user_erasure (user_id, credential_hash)
     select user_id, ${hashOf('credential')} from users where user_id = $1 on conflict do nothing`,
    [userId],
  );
  const begun = await tx.query(`select from user_erasure where user_id = $1`, [userId]);
  if (begun.length === 0) return false;
  await tx.query(`insert into users (user_id, username, credential) values ($1, 'erased', 'ugc:erased') on conflict do nothing`, [
    RESERVED_USER,
  ]);
  return true;
}

async function countOwn(database: Database, userId: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select (select count(*) from content where creator_id = $1) + (select count(*) from rating where user_id = $1) as count`,
    [userId],
  );
  return row?.count ?? 0;
}

/** `after`: where the next batch begins. The index still has the entries of the batches before. */
type Batch = { done: number; after: number; isRemoved: boolean };

/**
 * The lock of the user's row ends every race with what the user stores: it waits for the lock, and fails if the user is
 * removed then. Transactions that hold an item may wait for this lock, so this one waits for no item.
 */
async function eraseBatch(tx: Tx, userId: number, after: number): Promise<Batch> {
  const users = await tx.query(`select from users where user_id = $1 for update`, [userId]);
  if (users.length === 0) return { done: 0, after, isRemoved: true };
  await tx.query(`delete from rename_progress where user_id = $1`, [userId]);
  const items = await takeItems(tx, userId, after);
  const ratings = await takeRatings(tx, userId, BULK_BATCH_SIZE - items.contentIds.length);
  await markPending(tx, [...items.pending, ...ratings.changed]);
  await forgetDroppedItems(tx, items.contentIds);
  await tx.query(
    `update user_erasure set items = items + $2, ratings = ratings + $3,
       external_ids = external_ids + (select count(*) from external_item where content_id = any($4::bigint[])) where user_id = $1`,
    [userId, items.deleted.length, ratings.count, items.contentIds],
  );
  const done = items.contentIds.length + ratings.count;
  const isRemoved = done < BULK_BATCH_SIZE && (await removeUser(tx, userId));
  return { done, after: items.contentIds[BULK_BATCH_SIZE - 1] ?? 0, isRemoved };
}

/** Takes the tombstones of deleted items, too. */
async function takeItems(tx: Tx, userId: number, after: number): Promise<{ contentIds: number[] } & Erased> {
  const rows = await tx.query<{ contentId: number; isKept: boolean }>(
    `select content_id, ${rowIsKept('content')} as is_kept from content
     where creator_id = $1 and content_id > $2 order by content_id limit ${BULK_BATCH_SIZE} for no key update skip locked`,
    [userId, after],
  );
  const contentIds = rows.map(({ contentId }) => contentId);
  const kept = rows.filter(({ isKept }) => isKept).map(({ contentId }) => contentId);
  const erased = await eraseItems(tx, kept);
  await tx.query(`update content set creator_id = $2 where content_id = any($1::bigint[])`, [contentIds, RESERVED_USER]);
  return { contentIds, ...erased };
}

/** The items are locked before the scores are read, since the user may change them meanwhile. */
async function takeRatings(tx: Tx, userId: number, limit: number): Promise<{ count: number; changed: ItemRevision[] }> {
  const rows = await tx.query<{ contentId: number }>(
    `select r.content_id from rating r join content c on c.content_id = r.content_id
     where r.user_id = $1 order by r.content_id limit $2 for no key update of c skip locked`,
    [userId, limit],
  );
  const changed = await tx.query<ItemRevision & { isUnpublished: boolean }>(
    `with removed as (delete from rating where user_id = $1 and content_id = any($2::bigint[]) returning content_id, score)
     update content c set rating_sum = rating_sum - removed.score, rating_count = rating_count - 1, revision = ${nextRevision('c')}
     from removed where c.content_id = removed.content_id and ${rowIsKept('c')}
     returning c.content_id, c.revision, ${rowIsUnpublished('c')} as is_unpublished`,
    [userId, rows.map(({ contentId }) => contentId)],
  );
  return { count: rows.length, changed: changed.filter(({ isUnpublished }) => !isUnpublished) };
}

/** A block stays with the hashes of the credentials. @returns false if something of the user is left */
async function removeUser(tx: Tx, userId: number): Promise<boolean> {
  const [left] = await tx.query<{ isLeft: boolean }>(
    `select exists (select from content where creator_id = $1) or exists (select from rating where user_id = $1) as is_left`,
    [userId],
  );
  if (left?.isLeft) return false;
  await tx.query(
    `update user_erasure set blocked_hashes = array(select b.credential_hash from blocked_user b where b.user_id = $1) where user_id = $1`,
    [userId],
  );
  await tx.query(`update blocked_user set user_id = null where user_id = $1`, [userId]);
  await tx.query(`delete from users where user_id = $1`, [userId]);
  return true;
}

/** Others may have uploaded for the user. The user may have hidden items of others, also before the account had a user. */
async function removeTraces(database: Database, userId: number): Promise<void> {
  await database.write(
    `with keys as (
       delete from idempotency_key where user_id = $1 or (outcome ->> 'userId')::bigint = $1 returning 1
     ), own as (
       select content_id from hidden_content join user_erasure e on e.user_id = $1
         and (hidden_by = $1::bigint::text or ${hashOf('hidden_by')} = e.credential_hash)
       order by content_id for update of hidden_content
     ), hidings as (
       update hidden_content h set hidden_by = null from own where h.content_id = own.content_id returning 1
     )
     update user_erasure set idempotency_keys = idempotency_keys + (select count(*) from keys),
       hidings = hidings + (select count(*) from hidings) where user_id = $1`,
    [userId],
  );
}
