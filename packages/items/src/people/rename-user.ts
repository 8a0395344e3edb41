import { BULK_BATCH_SIZE, bulkBackpressure, type BackpressureOptions } from '@ugc/shared/outbox/backlog';
import { markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';

type Progress = (done: number, total: number) => void;

/** Adds the items of the user to the outbox too. After a stop, the same call continues. @returns their number */
export async function renameUser(
  database: Database,
  userId: number,
  name: string,
  progress: Progress,
  pace: BackpressureOptions = {},
): Promise<number | undefined> {
  if (!(await commitName(database, userId, name))) return undefined;
  const total = await countToRename(database, userId);
  return carryName(database, userId, (done) => progress(done, Math.max(done, total)), total > 0 ? pace : { maxWaitMs: 0 });
}

async function carryName(
  database: Database,
  userId: number,
  progress: (done: number) => void,
  pace: BackpressureOptions = {},
): Promise<number> {
  const waitForBacklog = bulkBackpressure(database, pace);
  let done = 0;
  for (let more = true; more;) {
    await waitForBacklog();
    const batch = await touchBatch(database, userId);
    done += batch;
    progress(done);
    more = batch === BULK_BATCH_SIZE;
  }
  return done;
}

// When the user already has the name, nothing is started; an earlier rename to this name that was stopped continues.
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

async function countToRename(database: Database, userId: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) from content c join rename_progress p on p.user_id = c.creator_id
     where c.creator_id = $1 and c.content_id > p.after_content_id and c.deleted_at is null`,
    [userId],
  );
  return row?.count ?? 0;
}

/** Adds the next items of a renamed user to the outbox. @returns their number, BULK_BATCH_SIZE if there may be more */
export async function touchBatch(database: Database, userId: number): Promise<number> {
  return database.transaction(async (tx) => {
    // Batches of two renames of one user do not overlap. The later rename starts again from the first item.
    await tx.query(`select 1 from rename_progress where user_id = $1 for update`, [userId]);
    const touched = await touch(tx, userId);
    if (touched.length < BULK_BATCH_SIZE) await tx.query(`delete from rename_progress where user_id = $1`, [userId]);
    await tx.query(`update rename_progress set after_content_id = $2 where user_id = $1`, [
      userId,
      Math.max(...touched.map((item) => item.contentId), 0),
    ]);
    await markPending(tx, touched);
    return touched.length;
  });
}

// Locks in content_id order, as every statement that locks several items.
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
