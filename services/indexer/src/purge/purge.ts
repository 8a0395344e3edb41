import type { estypes } from '@elastic/elasticsearch';
import { classifyItem } from '@ugc/shared/elasticsearch/errors';
import { removeStaleDropped } from '@ugc/shared/outbox/rejected';
import { pausedSince, INDEX_LOCK } from '@ugc/shared/indices/index-control';
import { listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import { refusalOf } from '@ugc/shared/ownership/ownership';
import {
  ERASURE_RECEIPT_DAYS,
  IDEMPOTENCY_KEY_RETENTION,
  SEARCH_INSIGHT_DAYS,
  TODAY,
  TOMBSTONE_RETENTION,
} from '@ugc/shared/contracts/retention';
import { setTimeout as delay } from 'node:timers/promises';
import { withLock } from '@ugc/shared/postgres/locks';
import { isConflict, toWriteResult } from '../documents/bulk.ts';
import type { IndexDeps, LockedDeps } from '../targets/target-indices.ts';
import { resolveConflicts, type Conflict } from '../conflicts/resolve-conflicts.ts';
import type { Database } from '@ugc/shared/postgres/postgres';
import { listItemsInOutbox } from '@ugc/shared/outbox/item-states';

const SLICE = 500;
const ROWS_PER_SLICE = 5_000;
/** What is removed of each table, also after SEARCH_INSIGHTS was switched off. */
const OLD = [
  ['idempotency_key', `created_at < now() - ${IDEMPOTENCY_KEY_RETENTION}`],
  ['erasure_receipt', `completed_at < now() - interval '${ERASURE_RECEIPT_DAYS} days'`],
  // The last one tells since when there is none.
  ['backup', `completed_at < (select max(completed_at) from backup) - interval '90 days'`],
  ['search_insight_user', `day < ${TODAY}`],
  ['search_insight', `day < ${TODAY} and prompt is null`],
  ['search_insight', `day <= ${TODAY} - ${SEARCH_INSIGHT_DAYS}`],
] as const;
/** Other processes poll the index lock, so it must be free for some time between two slices. */
const LOCK_FREE_MS = 100;

type PurgeDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'ownership' | 'signal' | 'onAhead'>;

export async function purge(deps: PurgeDeps, onSlice = (): void => undefined): Promise<boolean> {
  const slices = purgeSlices(deps);
  for (;;) {
    const { done, value } = await slices.next();
    if (done) return value;
    onSlice();
  }
}

/**
 * A tombstone is removed from every index before PostgreSQL. Between two slices nothing is locked.
 * @returns false if tombstones are left because another process holds the index lock or indexing is paused
 */
export async function* purgeSlices(deps: PurgeDeps): AsyncGenerator<void, boolean> {
  yield* removeOldRows(deps);
  await removeStaleDropped(deps.database);
  yield* removeRatings(deps);
  return yield* removeTombstones(deps);
}

async function* removeOldRows({ database, signal }: PurgeDeps): AsyncGenerator<void> {
  for (const [table, isOld] of OLD) {
    for (let removed = ROWS_PER_SLICE; removed === ROWS_PER_SLICE; yield) {
      signal.throwIfAborted();
      const slice = `select ctid from ${table} where ${isOld} limit ${ROWS_PER_SLICE} for update skip locked`;
      const [row] = await database.query<{ count: number }>(
        `with removed as (delete from ${table} where ctid = any(array(${slice})) returning 1) select count(*) from removed`,
      );
      removed = row?.count ?? 0;
    }
  }
}

async function* removeTombstones(deps: PurgeDeps): AsyncGenerator<void, boolean> {
  for (let after = FIRST_POSITION; ;) {
    const slice = await removeSlice(deps, after);
    if (!slice) return false;
    if (!slice.last) return true;
    after = slice.last;
    yield;
    await delay(LOCK_FREE_MS, undefined, { signal: deps.signal });
  }
}

type Slice = { last: Position | undefined };

/** Holds the index lock: a rebuild that has read a tombstone would write it to the new index after its removal. */
async function removeSlice(deps: PurgeDeps, after: Position): Promise<Slice | undefined> {
  let slice: Slice | undefined;
  await withLock(deps.database, INDEX_LOCK, async (lock) => {
    const held = { ...deps, lock, signal: AbortSignal.any([deps.signal, lock.signal]) };
    held.signal.throwIfAborted();
    if (await pausedSince(deps.database)) return;
    const items = await listTombstones(deps.database, after, { olderThan: TOMBSTONE_RETENTION, limit: SLICE });
    // Deleting a row cascades to its ratings, in one statement. A pending change still needs the row.
    const purgeable = items.filter(({ rated, pending }) => !rated && !pending);
    await removeItems(held, purgeable);
    slice = { last: items.at(-1) };
  });
  return slice;
}

async function removeItems(deps: PurgeDeps & Pick<LockedDeps, 'lock'>, items: Tombstone[]): Promise<void> {
  if (items.length === 0) return;
  const targets = (await listTargets(deps.database)).filter(({ retiredReason }) => retiredReason === null);
  await assertOwn(deps, targets);
  const conflicts = new Map<number, Conflict>();
  for (const { indexName } of targets) {
    deps.signal.throwIfAborted();
    for (const item of await removeDocuments(deps, indexName, items)) addConflict(conflicts, item, indexName);
  }
  // Their rows are needed for a newer revision of the tombstone. A later purge removes them.
  await resolveConflicts(deps, [...conflicts.values()]);
  await deps.database.transaction(async (tx) => {
    await deps.lock.check(tx);
    await tx.query(
      `with locked as (select content_id from content where content_id = any($1::bigint[]) order by content_id for update)
       delete from content c using locked where c.content_id = locked.content_id`,
      [items.map((item) => item.contentId).filter((contentId) => !conflicts.has(contentId))],
    );
  });
}

/** @throws Error if one of the indices belongs to another database */
async function assertOwn({ database, ownership }: PurgeDeps, targets: IndexTarget[]): Promise<void> {
  const self = await readIdentity(database);
  for (const [indexName, judged] of await ownership.judgeRecently(self, targets)) {
    const refusal = refusalOf(self, indexName, judged);
    if (refusal !== undefined) throw new Error(refusal);
  }
}

function addConflict(conflicts: Map<number, Conflict>, { contentId, revision }: Tombstone, indexName: string): void {
  const { indexNames } = conflicts.get(contentId) ?? { indexNames: [] };
  conflicts.set(contentId, { contentId, revision, isDeletion: true, indexNames: [...indexNames, indexName] });
}

/** @returns the items of which the index has a newer version, for example after a restore of PostgreSQL */
async function removeDocuments({ elasticsearch }: PurgeDeps, indexName: string, items: Tombstone[]): Promise<Tombstone[]> {
  const operations = items.map((item) => ({
    delete: { _id: String(item.contentId), version: item.revision, version_type: 'external_gte' as const },
  }));
  const { items: responses } = await elasticsearch.bulk({ index: indexName, operations });
  const results = responses.map(({ delete: item }) => item);
  const failed = results.find((item) => item && !isGone(item));
  if (failed) throw new Error(`could not remove a tombstone: ${failed.error?.type ?? 'no reason given'}`);
  return items.filter((_, position) => isConflict(results[position] && toWriteResult(results[position])));
}

/** A missing index has no documents. */
function isGone(item: estypes.BulkResponseItem): boolean {
  const { outcome, kind } = classifyItem(item);
  return outcome === 'done' || kind === 'missing';
}

const TOMBSTONES_PER_PAGE = 5_000;
const RATINGS_PER_SLICE = 5_000;

type RatingDeps = Pick<IndexDeps, 'database' | 'signal'>;

/** Deletes in slices, because one item may have a million ratings. */
async function* removeRatings(deps: RatingDeps): AsyncGenerator<void> {
  for (let after: Position | undefined = FIRST_POSITION; after;) {
    deps.signal.throwIfAborted();
    const items = await listTombstones(deps.database, after, { olderThan: `interval '0 s'`, limit: TOMBSTONES_PER_PAGE });
    yield;
    for (const item of items) if (item.rated) yield* removeRatingsOf(deps, item.contentId);
    after = items.at(-1);
  }
}

async function* removeRatingsOf({ database, signal }: RatingDeps, contentId: number): AsyncGenerator<void> {
  for (let last: number | null = 0; last !== null; yield) {
    signal.throwIfAborted();
    last = await removeAfter(database, contentId, last);
  }
}

/** @returns the highest user ID whose rating was removed; null if no rating was left */
async function removeAfter(database: Database, contentId: number, userId: number): Promise<number | null> {
  const [removed] = await database.query<{ last: number | null }>(
    `with removed as (
       delete from rating where content_id = $1 and ctid = any(array(
         select ctid from rating where content_id = $1 and user_id > $2 order by user_id limit ${RATINGS_PER_SLICE}
       )) returning user_id
     )
     select max(user_id) as last from removed`,
    [contentId, userId],
  );
  return removed?.last ?? null;
}

type Position = { deletedAt: Date; contentId: number };
type Tombstone = Position & { revision: number; rated: boolean; pending: boolean };

const FIRST_POSITION: Position = { deletedAt: new Date(0), contentId: 0 };

/**
 * Lists in the order of deletion. The lateral join reads one index entry per tombstone, regardless of the planner's
 * estimates; a plain join with `rating` could read all ratings for every page.
 * @param olderThan a PostgreSQL interval
 */
async function listTombstones(
  database: Database,
  { deletedAt, contentId }: Position,
  { olderThan, limit }: { olderThan: string; limit: number },
): Promise<Tombstone[]> {
  const page = await database.query<Omit<Tombstone, 'pending'>>(
    `with page as materialized (
       select deleted_at, content_id, revision from content
       where deleted_at < now() - ${olderThan} and (deleted_at, content_id) > ($1, $2)
       order by deleted_at, content_id limit ${limit}
     )
     select p.*, r.user_id is not null as rated
     from page p
     left join lateral (select user_id from rating where content_id = p.content_id order by user_id limit 1) r on true
     order by p.deleted_at, p.content_id`,
    [deletedAt, contentId],
  );
  // Read after the page: a change that was made in between is not missed.
  const ids = page.map((tombstone) => tombstone.contentId);
  const pending = await listItemsInOutbox(database, ids);
  return page.map((tombstone) => ({ ...tombstone, pending: pending.has(tombstone.contentId) }));
}
