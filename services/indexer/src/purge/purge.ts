import { removeStaleDropped } from '@ugc/shared/outbox/dropped';
import { pausedSince } from '../indices/pause.ts';
import { listTargets } from '../targets.ts';
import { IDEMPOTENCY_KEY_RETENTION, TOMBSTONE_RETENTION } from '@ugc/shared/contracts/retention';
import { setTimeout as delay } from 'node:timers/promises';
import { INDEX_LOCK, type IndexDeps } from '../indices/indices.ts';
import { BEFORE_ALL, listTombstones, type Place, type Tombstone } from './list-tombstones.ts';
import { removeRatings } from './remove-ratings.ts';

const BATCH = 500;
/** Other processes try the index lock without waiting for it, so it must be free for long enough to be met. */
const LOCK_FREE_MS = 100;

type PurgeDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'signal'>;
// Not there, or there in a newer version than PostgreSQL knows, which a restore may leave behind.
const GONE = new Set([404, 409]);

/**
 * Removes what nobody needs any more.
 * @param onSlice called after each slice; see `purgeSlices`
 * @returns false when another process holds the index lock, or indexing is paused; then tombstones are left
 */
export async function purge(deps: PurgeDeps, onSlice = (): void => undefined): Promise<boolean> {
  const slices = purgeSlices(deps);
  for (;;) {
    const { done, value } = await slices.next();
    if (done) return value;
    onSlice();
  }
}

/**
 * Removes, slice by slice, old idempotency keys, the ratings of deleted items, and old tombstones, which leave every index before
 * PostgreSQL. Between two slices nothing is locked, so that the caller may take its time, and other processes may change indices.
 * @returns false when another process holds the index lock, or indexing is paused; then tombstones are left
 */
export async function* purgeSlices(deps: PurgeDeps): AsyncGenerator<void, boolean> {
  yield* removeOldKeys(deps);
  await removeStaleDropped(deps.database);
  yield* removeRatings(deps);
  return yield* removeTombstones(deps);
}

async function* removeOldKeys({ database, signal }: PurgeDeps): AsyncGenerator<void> {
  for (;;) {
    signal.throwIfAborted();
    const removed = await database.query(
      `delete from idempotency_key where (user_id, key) in
         (select user_id, key from idempotency_key where created_at < now() - ${IDEMPOTENCY_KEY_RETENTION}
          order by user_id, key limit ${BATCH} for update skip locked)
       returning 1`,
    );
    yield;
    if (removed.length < BATCH) return;
  }
}

async function* removeTombstones(deps: PurgeDeps): AsyncGenerator<void, boolean> {
  for (let after = BEFORE_ALL; ;) {
    const slice = await removeSlice(deps, after);
    if (!slice) return false;
    if (!slice.last) return true;
    after = slice.last;
    yield;
    await delay(LOCK_FREE_MS, undefined, { signal: deps.signal });
  }
}

/**
 * A rebuild that has read a tombstone would write it again, so the two exclude each other.
 * @returns the last tombstone that was looked at, if there was one; undefined when none may be removed now
 */
async function removeSlice(deps: PurgeDeps, after: Place): Promise<{ last: Place | undefined } | undefined> {
  let slice: { last: Place | undefined } | undefined;
  await deps.database.withLock(INDEX_LOCK, async (lockLost) => {
    const held = { ...deps, signal: AbortSignal.any([deps.signal, lockLost]) };
    held.signal.throwIfAborted();
    if (await pausedSince(deps.database)) return;
    const items = await listTombstones(deps.database, after, { olderThan: TOMBSTONE_RETENTION, limit: BATCH });
    // Ratings that are left would go with the row, however many they are; a change that is pending still needs the row.
    const purgeable = items.filter(({ rated, pending }) => !rated && !pending);
    await removeItems(held, purgeable);
    slice = { last: items.at(-1) };
  });
  return slice;
}

async function removeItems(deps: PurgeDeps, items: Tombstone[]): Promise<void> {
  if (items.length === 0) return;
  for (const { indexName } of await listTargets(deps.database)) {
    deps.signal.throwIfAborted();
    await removeDocuments(deps, indexName, items);
  }
  await deps.database.query(
    `with locked as (select content_id from content where content_id = any($1::bigint[]) order by content_id for update)
     delete from content c using locked where c.content_id = locked.content_id`,
    [items.map((item) => item.content_id)],
  );
}

async function removeDocuments({ elasticsearch }: PurgeDeps, indexName: string, items: Tombstone[]): Promise<void> {
  const operations = items.map((item) => ({
    delete: { _id: String(item.content_id), version: item.revision, version_type: 'external_gte' as const },
  }));
  const { items: answers } = await elasticsearch.bulk({ index: indexName, operations });
  const failed = answers.find(({ delete: answer }) => answer && answer.status >= 300 && !GONE.has(answer.status));
  if (failed) throw new Error(`a tombstone could not be removed: ${failed.delete?.error?.type ?? 'no reason given'}`);
}
