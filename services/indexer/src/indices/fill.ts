import type { IndexTarget } from '../targets.ts';
import type { Database } from '@ugc/shared/stores/postgres';
import { DatabaseUnavailable } from '@ugc/shared/stores/postgres-errors';
import { isolateItem } from '@ugc/shared/outbox/isolate';
import { toChange } from '../documents/bulk.ts';
import type { IndexDeps } from './indices.ts';
import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { FillAttempts } from './fill-attempts.ts';
import { Backoff } from '../documents/backoff.ts';
import { fillBatch } from './fill-batch.ts';

/** @param done items, of `total` */
export type Progress = (phase: string, done: number, total: number) => void;

/**
 * Writes every item of PostgreSQL, and every tombstone, to an index, in key order, from where an earlier call stopped. External
 * versions make any order with live writes right. What Elasticsearch or PostgreSQL can't do now is tried again until they can.
 * An item that the index refuses is rejected, but if the searched index has it: then the index is given up. An item that kills its
 * process again and again is left to the outbox.
 * @throws RebuildFailed
 */
export async function fillIndex(deps: IndexDeps, index: IndexTarget, progress: Progress): Promise<void> {
  const total = await countContent(deps.database);
  let done = Math.max(0, total - (await countContent(deps.database, index.filledTo)));
  const tell = (): void => progress('Filling', done, Math.max(done, total));
  const attempts = new FillAttempts(deps.database, index.indexName);
  tell();
  try {
    for (let after: number | undefined = index.filledTo; after !== undefined;) {
      const batch: Batch = await fillAfter({ ...deps, index, attempts, tell }, after);
      done += batch.items;
      tell();
      after = batch.last;
    }
  } finally {
    // One that stays counted by mistake makes batches smaller for a moment, at worst.
    await attempts.ended().catch((err: unknown) => deps.log.warn({ err }, 'an attempt at filling could not be taken back'));
  }
}

type Filling = IndexDeps & { index: IndexTarget; attempts: FillAttempts; tell: () => void };
/** How many items were settled, up to the last one; none when there is no more. */
type Batch = { items: number; last?: number };

async function fillAfter(filling: Filling, contentId: number): Promise<Batch> {
  const { attempts, index, tell } = filling;
  await untilPostgresAnswers(filling, () => attempts.begin());
  const size = attempts.size();
  if (size === 0) return leaveOut(filling, contentId);
  const rows = await untilPostgresAnswers(filling, () => readAfter(filling, contentId, size));
  await fillBatch(filling, index, { changes: rows.map(toChange), attempts, stillAtIt: tell });
  return settle(attempts, rows);
}

async function settle(attempts: FillAttempts, rows: { content_id: number }[]): Promise<Batch> {
  const last = rows.at(-1)?.content_id;
  if (last === undefined) return { items: 0 };
  await attempts.settled(last);
  return { items: rows.length, last };
}

/** The next item has killed every process that took it: it is not even read here. */
async function leaveOut({ database, log, index, attempts }: Filling, afterContentId: number): Promise<Batch> {
  const rows = await database.query<{ content_id: number }>(
    `select content_id from content where content_id > $1 order by content_id limit 1`,
    [afterContentId],
  );
  for (const { content_id: contentId } of rows) {
    log.error({ contentId, index: index.indexName }, 'whoever fills this index with this item dies: it gets a job of its own');
    await isolateItem(database, contentId);
  }
  return settle(attempts, rows);
}

/** For progress alone. @returns 0 when there are too many to be counted in time */
export async function countContent(database: Database, afterContentId = 0): Promise<number> {
  const counting = database.query<{ count: number }>(`select count(*) from content where content_id > $1`, [afterContentId]);
  const [row] = await counting.catch(() => []);
  return row?.count ?? 0;
}

function readAfter({ database }: IndexDeps, contentId: number, limit: number): Promise<IndexedContent[]> {
  return database.query<IndexedContent>(
    `select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id
     where c.content_id > $1 order by c.content_id limit $2`,
    [contentId, limit],
  );
}

async function untilPostgresAnswers<T>({ log, signal }: IndexDeps, ask: () => Promise<T>): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await ask();
    } catch (err) {
      if (!(err instanceof DatabaseUnavailable)) throw err;
      log.warn({ err }, 'filling waits for PostgreSQL');
      backoff.failed();
      await backoff.wait(signal);
    }
  }
}
