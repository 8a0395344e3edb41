import { rowIsHidden } from '@ugc/shared/contracts/hidden';
import type { Log } from '@ugc/shared/process/log';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { throttle } from '@ugc/shared/timing/intervals';
import { blockedAmong } from './blocked-users.ts';
import { brokenRule } from '../changes/item-rules.ts';
import { publishItems } from '../changes/unpublished-content.ts';
import { DueItems, IS_DUE } from './due-items.ts';

const POLL_EVERY_MS = 1_000;
const WARN_EVERY_MS = 60_000;
const BATCH = 500;

/**
 * Publishes the items whose time has come, in any number of processes at the same time. What their creators may not publish
 * without a review goes there. @param onPublished is called when lists are to show items
 */
export function publishScheduled(deps: { database: Database; log: Log; onPublished: () => void }): Repetition {
  const warn = throttle(WARN_EVERY_MS, (err: unknown) =>
    deps.log.warn({ err }, 'the items that are due could not be published; this is repeated'),
  );
  const dueItems = new DueItems(deps.database, BATCH);
  const stopping = new AbortController();
  const pass = () => publishNext({ ...deps, dueItems, signal: stopping.signal });
  return repeat(pass, { everyMs: POLL_EVERY_MS, onError: warn, stopping });
}

type Publishing = Parameters<typeof publishScheduled>[0] & { dueItems: DueItems; signal: AbortSignal };

/** Items that others have locked are left for later. @returns 0 after a full batch: more items are probably due */
async function publishNext({ dueItems, onPublished, ...deps }: Publishing): Promise<0 | undefined> {
  const contentIds = await dueItems.next();
  if (contentIds.length === 0) return undefined;
  const published = await publishBatch(deps, contentIds);
  if (published.items > 0) onPublished();
  return published.taken === BATCH ? 0 : undefined;
}

/** `taken`: how many due items were dealt with; `items`: how many of them are public now. */
type Published = { taken: number; items: number };

/** An item that breaks a rule of items must not keep the others back: it loses its time, and its creator publishes it. */
async function publishBatch(deps: Pick<Publishing, 'database' | 'log' | 'signal'>, contentIds: number[]): Promise<Published> {
  const { database, log, signal } = deps;
  try {
    return await database.transaction((tx) => settleDue(tx, contentIds));
  } catch (error) {
    if (!brokenRule(error)) throw error;
    const all: Published = { taken: 0, items: 0 };
    if (contentIds.length === 1) {
      log.warn({ contentId: contentIds[0], err: error }, 'an item breaks a rule of items, so it is not published at its time');
      await database.transaction((tx) => forgetTimes(tx, contentIds));
      return { taken: 1, items: 0 };
    }
    for (const contentId of contentIds) {
      if (signal.aborted) break;
      const one = await publishBatch(deps, [contentId]);
      all.taken += one.taken;
      all.items += one.items;
    }
    return all;
  }
}

type Due = { contentId: number; creatorId: number; mayPublish: boolean; isHidden: boolean };

async function settleDue(tx: Tx, contentIds: number[]): Promise<Published> {
  const locked = await tx.query<{ contentId: number }>(
    `select content_id from content where content_id = any($1::bigint[]) order by content_id for no key update skip locked`,
    [contentIds],
  );
  const ids = locked.map(({ contentId }) => contentId);
  // A block that is not visible yet waits for this lock before its last look at the items of the user.
  await tx.query(
    `select from users where user_id in (select creator_id from content where content_id = any($1::bigint[])) order by user_id for key share`,
    [ids],
  );
  const due = await tx.query<Due>(
    `select p.content_id, p.creator_id, p.may_publish, ${rowIsHidden('p')} as is_hidden from unpublished_content p
     where p.content_id = any($1::bigint[]) and ${IS_DUE}`,
    [ids],
  );
  const blocked = await blockedAmong(tx, [...new Set(due.map(({ creatorId }) => creatorId))]);
  const isKept = ({ creatorId, isHidden }: Due): boolean => isHidden || blocked.has(creatorId);
  const idsOf = (items: Due[]): number[] => items.map(({ contentId }) => contentId);
  const others = due.filter((item) => !isKept(item));
  await forgetTimes(tx, idsOf(due.filter(isKept)));
  await askForReview(tx, idsOf(others.filter(({ mayPublish }) => !mayPublish)));
  const published = await publishItems(tx, idsOf(others.filter(({ mayPublish }) => mayPublish)));
  return { taken: due.length, items: published.length };
}

/** A hidden item, and one of a blocked user, stays what it is. */
async function forgetTimes(tx: Tx, contentIds: number[]): Promise<void> {
  if (contentIds.length === 0) return;
  await tx.query(`update unpublished_content set publish_at = null, may_publish = false where content_id = any($1::bigint[])`, [
    contentIds,
  ]);
}

async function askForReview(tx: Tx, contentIds: number[]): Promise<void> {
  if (contentIds.length === 0) return;
  await tx.query(
    `update unpublished_content set kind = 'review', since = clock_timestamp(), publish_at = null, access_key = null
     where content_id = any($1::bigint[])`,
    [contentIds],
  );
}
