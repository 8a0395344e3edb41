import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from '@ugc/shared/outbox/backpressure';
import { markPending, type ItemRevision } from '@ugc/shared/outbox/outbox';
import type { Database, Tx } from '@ugc/shared/stores/postgres';

type Progress = (done: number, total: number) => void;

/**
 * Gives a user a new name, then puts the user's items into the outbox, batch by batch, so that lists follow. When it is stopped in
 * between, the same call goes on where it was.
 * @param pace keeps the items from delaying later changes of others
 * @returns the number of items put into the outbox, undefined when there is no such user
 */
export async function renameUser(
  database: Database,
  userId: number,
  name: string,
  progress: Progress,
  pace: BackpressureOptions = {},
): Promise<number | undefined> {
  if (!(await commitName(database, userId, name))) return undefined;
  const total = await countItems(database, userId);
  const turn = bulkBackpressure(database, pace);
  let done = 0;
  for (let more = true; more;) {
    if (total > 0) await turn();
    const batch = await touchBatch(database, userId);
    done += batch;
    progress(done, Math.max(done, total));
    more = batch === BULK_BATCH_SIZE;
  }
  return done;
}

// A name that is the user's already is not carried again, but a carrying that was stopped goes on.
async function commitName(database: Database, userId: number, name: string): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [user] = await tx.query<{ username: string }>(`select username from users where user_id = $1 for no key update`, [userId]);
    if (!user) return false;
    if (user.username === name) return true;
    await tx.query(`update users set username = $2 where user_id = $1`, [userId, name]);
    await tx.query(`insert into rename_progress (user_id) values ($1) on conflict (user_id) do update set after_content_id = 0`, [userId]);
    return true;
  });
}

async function countItems(database: Database, userId: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) from content c join rename_progress p on p.user_id = c.creator_id
     where c.creator_id = $1 and c.content_id > p.after_content_id and c.deleted_at is null`,
    [userId],
  );
  return row?.count ?? 0;
}

async function touchBatch(database: Database, userId: number): Promise<number> {
  return database.transaction(async (tx) => {
    // Two renames at once take turns; the later one begins anew.
    await tx.query(`select 1 from rename_progress where user_id = $1 for update`, [userId]);
    const touched = await touch(tx, userId);
    if (touched.length < BULK_BATCH_SIZE) await tx.query(`delete from rename_progress where user_id = $1`, [userId]);
    await tx.query(`update rename_progress set after_content_id = $2 where user_id = $1`, [
      userId,
      Math.max(...touched.map((item) => item.content_id), 0),
    ]);
    await markPending(tx, touched);
    return touched.length;
  });
}

// In content_id order, as every statement that locks several items.
function touch(tx: Tx, userId: number): Promise<ItemRevision[]> {
  return tx.query<ItemRevision>(
    `with batch as (
       select c.content_id from rename_progress p join content c on c.creator_id = p.user_id and c.content_id > p.after_content_id
       where p.user_id = $1 and c.deleted_at is null
       order by c.content_id limit ${BULK_BATCH_SIZE} for no key update of c
     )
     update content c set revision = revision + 1 from batch where c.content_id = batch.content_id
     returning c.content_id, c.revision`,
    [userId],
  );
}
