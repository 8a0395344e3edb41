import { insertPending, markPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/stores/postgres';
import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { noSuchContent } from './get-content.ts';

/** The body of a rating. */
export const Rating = z
  .object(
    { score: z.int({ error: 'must be an integer from 1 to 5' }).min(1, 'must be at least 1').max(5, 'must be at most 5') },
    { error: 'must be a JSON object' },
  )
  .meta({ id: 'Rating' });

/** Counts and ratings wait so long for others of the same item: a thousand downloads in a moment are one document. */
const COUNT_DELAY_MS = 5_000;

/**
 * One statement, so that the row is locked for as short as can be.
 * @throws Problem 404
 */
export async function countDownload(database: Database, contentId: number): Promise<void> {
  const counted = await database.write(
    `with counted as (
       update content
       set downloads_count = downloads_count + 1, latest_downloads_count = latest_downloads_count + 1, revision = revision + 1
       where content_id = $1 and deleted_at is null
       returning content_id, revision
     )
     ${insertPending('counted', '$2')} returning 1`,
    [contentId, COUNT_DELAY_MS],
  );
  if (counted.length === 0) throw noSuchContent();
}

/**
 * Sets the caller's one rating of an item.
 * @param score 1 to 5, or undefined to take the rating back
 * @throws Problem 404 · 403 when the caller is not a user
 */
export async function rateContent(database: Database, contentId: number, userId: number, score: number | undefined): Promise<void> {
  await database.transaction(async (tx) => {
    await lockLive(tx, contentId);
    await requireUser(tx, userId);
    const before = await currentScore(tx, contentId, userId);
    if (before === score) return;
    await storeScore(tx, contentId, userId, score);
    const sum = (score ?? 0) - (before ?? 0);
    const count = Number(score !== undefined) - Number(before !== undefined);
    await changeRating(tx, contentId, sum, count);
  });
}

// Ratings of one item go one after the other, so that each sees the sum of those before it.
async function lockLive(tx: Tx, contentId: number): Promise<void> {
  const rows = await tx.query(`select 1 from content where content_id = $1 and deleted_at is null for no key update`, [contentId]);
  if (rows.length === 0) throw noSuchContent();
}

async function requireUser(tx: Tx, userId: number): Promise<void> {
  const rows = await tx.query(`select 1 from users where user_id = $1`, [userId]);
  if (rows.length === 0) throw new Problem(403, `There is no user ${userId}.`);
}

async function currentScore(tx: Tx, contentId: number, userId: number): Promise<number | undefined> {
  const [row] = await tx.query<{ score: number }>(`select score from rating where content_id = $1 and user_id = $2`, [contentId, userId]);
  return row?.score;
}

async function storeScore(tx: Tx, contentId: number, userId: number, score: number | undefined): Promise<void> {
  if (score === undefined) await tx.query(`delete from rating where content_id = $1 and user_id = $2`, [contentId, userId]);
  else
    await tx.query(
      `insert into rating (content_id, user_id, score) values ($1, $2, $3)
       on conflict (content_id, user_id) do update set score = excluded.score`,
      [contentId, userId, score],
    );
}

// It shows in the index, but is no edit: `updatedAt` stays.
async function changeRating(tx: Tx, contentId: number, sum: number, count: number): Promise<void> {
  const changed = await tx.query<ItemRevision>(
    `update content set rating_sum = rating_sum + $2, rating_count = rating_count + $3, revision = revision + 1
     where content_id = $1 returning content_id, revision`,
    [contentId, sum, count],
  );
  await markPending(tx, changed, COUNT_DELAY_MS);
}
