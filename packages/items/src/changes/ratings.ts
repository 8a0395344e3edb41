import { insertPending, markPending } from '@ugc/shared/outbox/mark-pending';
import { nextRevision, rowIsOpen } from '@ugc/shared/contracts/unpublished';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { isDatabaseOutage } from '@ugc/shared/postgres/errors';
import { activeTraceparent } from '@ugc/shared/tracing/spans';
import { z } from 'zod';
import { integerFrom } from '../fields/numbers.ts';
import { noSuchUser, Problem } from '../problems/problem.ts';
import { throwIfErased } from './create-content.ts';
import { noSuchContent } from './get-content.ts';
import { addHeat, LIKED_FROM, type UserEvent } from './popularity.ts';

export const Rating = z.object({ score: integerFrom(1, 5) }, { error: 'must be a JSON object' }).meta({ id: 'Rating' });

/** The scores are those of `Rating`. */
export const OwnRating = z
  .object({ score: z.int().min(1).max(5).nullable().describe('The rating by the user of the token; null without one.') })
  .meta({ id: 'OwnRating' });

/** Downloads and ratings are indexed after a delay, so that a burst of them for one item causes few index writes. */
const COUNTER_INDEX_DELAY_MS = 5_000;

const GET_RATING = {
  name: 'get-rating',
  text: `select r.score from content c left join rating r on r.content_id = c.content_id and r.user_id = $2
    where c.content_id = $1 and ${rowIsOpen('c', '$3')}`,
};

/** `key`: that of an unlisted item, if the request has one. */
type Opened = { contentId: number; key?: string | undefined };

/** @param userId undefined for an account without a user, which has rated nothing · @throws Problem 404 */
export async function readRating(
  database: Database,
  { contentId, key }: Opened,
  userId: number | undefined,
): Promise<z.infer<typeof OwnRating>> {
  const [row] = await database.query<z.infer<typeof OwnRating>>(GET_RATING, [contentId, userId ?? null, key ?? null]);
  if (!row) throw noSuchContent();
  return row;
}

/** `score`: 1 to 5; undefined removes the rating. `weight`: see `UserEvent`; 0 unless `mayBeLiked`. */
type RatingRequest = Opened & { userId: number; score: number | undefined; weight?: number };

/** @throws Problem 404 for the item · 403 for the user, or for its creator */
export async function rateContent(database: Database, { userId, score, weight = 0, ...item }: RatingRequest): Promise<void> {
  const { contentId } = item;
  await database.transaction(async (tx) => {
    const creatorId = await lockItem(tx, item);
    // Removing is allowed: earlier processes have stored such ratings.
    if (score !== undefined && creatorId === userId) throw ratingOfOwnItem();
    const previousScore = await readScore(tx, contentId, userId);
    if (previousScore === score) return;
    await storeScore(tx, contentId, userId, score).catch(throwIfErased(userId));
    const sumChange = (score ?? 0) - (previousScore ?? 0);
    const countChange = Number(score !== undefined) - Number(previousScore !== undefined);
    await updateRatingTotals(tx, contentId, { sumChange, countChange, weight });
  });
}

const IS_UNRATED = {
  name: 'is-unrated',
  text: `select 1 from content c where content_id = $1 and ${rowIsOpen('c', '$3')} and creator_id <> $2
    and not exists (select from rating r where r.content_id = c.content_id and r.user_id = $2)`,
};

/** Whether a rating is an event that counts for what is popular now: the first one of the user for an item of others. */
export async function mayBeLiked(database: Database, { contentId, key, userId, score = 0 }: RatingRequest): Promise<boolean> {
  return score >= LIKED_FROM && (await database.query(IS_UNRATED, [contentId, userId, key ?? null])).length > 0;
}

export function ratingOfOwnItem(): Problem {
  return new Problem(403, 'own-item', 'This is your own item: only others may rate it.');
}

/** Serializes the ratings of one item, so that each transaction reads the previous total. @returns the id of the creator */
async function lockItem(tx: Tx, { contentId, key }: Opened): Promise<number> {
  const [row] = await tx.query<{ creatorId: number; isPublic: boolean }>(
    `select creator_id, deleted_at is null as is_public from content c where content_id = $1 and ${rowIsOpen('c', '$2')} for no key update`,
    [contentId, key ?? null],
  );
  if (!row) throw noSuchContent();
  // After the lock, since the key may have changed, or a moderator may have hidden the item, while it waited.
  if (!row.isPublic) await assertOpen(tx, contentId, key);
  return row.creatorId;
}

async function assertOpen(tx: Tx, contentId: number, key: string | undefined): Promise<void> {
  const select = `select from content c where c.content_id = $1 and ${rowIsOpen('c', '$2')}`;
  if ((await tx.query(select, [contentId, key ?? null])).length === 0) throw noSuchContent();
}

/** @throws Problem 403 when the user does not exist */
async function readScore(tx: Tx, contentId: number, userId: number): Promise<number | undefined> {
  const [row] = await tx.query<{ score: number | null }>(
    `select r.score from users u left join rating r on r.content_id = $1 and r.user_id = u.user_id where u.user_id = $2`,
    [contentId, userId],
  );
  if (!row) throw noSuchUser(userId);
  return row.score ?? undefined;
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

// A rating is a change for the index, but not an edit: `updated_at` does not change.
async function updateRatingTotals(
  tx: Tx,
  contentId: number,
  { sumChange, countChange, weight }: { sumChange: number; countChange: number; weight: number },
): Promise<void> {
  const changed = await tx.query<ItemRevision & { isPublic: boolean }>(
    `update content c set rating_sum = rating_sum + $2, rating_count = rating_count + $3, revision = ${nextRevision('c')},
       ${addHeat({ weight: '$4::float8' })}
     where content_id = $1 returning content_id, revision, deleted_at is null as is_public`,
    [contentId, sumChange, countChange, weight],
  );
  const shown = changed.filter(({ isPublic }) => isPublic);
  if (shown.length > 0) await markPending(tx, shown, COUNTER_INDEX_DELAY_MS);
}

/** Whether the download is one by users: see `UserEvent`. The creator's own never is. */
const IS_BY_USERS = '($4::boolean and creator_id is distinct from $5::bigint)';
const OTHERS = `(not ${IS_BY_USERS})::integer`;
const COUNT_DOWNLOAD = `with counted as (
    update content c
    set downloads_count = downloads_count + 1, latest_downloads_count = latest_downloads_count + 1, revision = ${nextRevision('c')},
      other_downloads = other_downloads + ${OTHERS}, latest_other_downloads = latest_other_downloads + ${OTHERS},
      ${addHeat({ weight: `case when ${IS_BY_USERS} then $6::float8 else 0 end` })}
    where content_id = $1 and ${rowIsOpen('c', '$7')}
    returning content_id, revision, deleted_at
  ), shown as (select content_id, revision from counted where deleted_at is null),
  pending as (${insertPending('shown', { delayMs: '$2', traceparent: '$3' })})
  select 1 from counted`;

/** A single statement, so that the row is locked as briefly as possible. @throws Problem 404 */
export async function countDownload(database: Database, { contentId, key }: Opened, { userId, isFirst, weight }: UserEvent): Promise<void> {
  const values = [contentId, COUNTER_INDEX_DELAY_MS, activeTraceparent(), isFirst, userId ?? null, weight, key ?? null];
  const counted = await database.write({ name: 'count-download', text: COUNT_DOWNLOAD }, values);
  if (counted.length === 0) throw noSuchContent();
}

/** Runs the operations on each item one at a time, so that a hot item uses only one connection of the pool. */
export class PerItemQueue {
  readonly #last = new Map<number, Promise<unknown>>();

  async run<T>(contentId: number, work: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(contentId) ?? Promise.resolve();
    const current = previous.then(work, (error: unknown) => {
      // Otherwise each waiting operation would run into the timeout of the unavailable database, one after the other.
      if (isDatabaseOutage(error)) throw error;
      return work();
    });
    this.#last.set(contentId, current);
    try {
      return await current;
    } finally {
      if (this.#last.get(contentId) === current) this.#last.delete(contentId);
    }
  }
}
