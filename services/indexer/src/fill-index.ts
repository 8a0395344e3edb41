import type { Elasticsearch } from '@ugc/shared/elasticsearch';
import type { Log } from '@ugc/shared/log';
import { DatabaseUnavailable, type Database } from '@ugc/shared/postgres';
import { toChange, type Change, type Outcome } from './bulk.ts';
import { INDEXED_CONTENT, type IndexedContent } from './document.ts';
import { HoldBack } from './hold-back.ts';
import { writeChanges } from './write-changes.ts';

export type RebuildDeps = { database: Database; elasticsearch: Elasticsearch; alias: string; log: Log; signal: AbortSignal };
export type Progress = (done: number, total: number) => void;

/** The new index could not be completed. It is not searched. */
export class RebuildFailed extends Error {
  override readonly name = 'RebuildFailed';
}

/** @param stillThere whether the index is still the one that was made: it may be lost, and even come back empty under its name */
export type NewIndex = { indexName: string; stillThere: () => Promise<boolean> };

const BATCH = 100;

/**
 * Writes every item of PostgreSQL, and every tombstone, to an index, in key order. External versions make any order with live
 * writes right. What Elasticsearch or PostgreSQL can't do now is tried again until they can; an item that is at fault itself
 * becomes a rejected one of the outbox.
 * @throws RebuildFailed when the index is lost meanwhile
 */
export async function fillIndex(deps: RebuildDeps, index: NewIndex, progress: Progress): Promise<void> {
  const total = await countContent(deps.database);
  let done = 0;
  progress(done, total);
  for (let batch = await readAfter(deps, 0); batch.length > 0; batch = await readAfter(deps, batch.at(-1)?.contentId ?? 0)) {
    deps.signal.throwIfAborted();
    await writeUntilTaken(deps, index, batch);
    done += batch.length;
    progress(done, Math.max(done, total));
  }
}

async function countContent(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*) from content`);
  return row?.count ?? 0;
}

async function readAfter({ database, log, signal }: RebuildDeps, contentId: number): Promise<Change[]> {
  const holdBack = new HoldBack();
  for (;;) {
    try {
      const rows = await database.query<IndexedContent>(
        `select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id
         where c.content_id > $1 order by c.content_id limit ${BATCH}`,
        [contentId],
      );
      return rows.map(toChange);
    } catch (err) {
      if (!(err instanceof DatabaseUnavailable)) throw err;
      log.warn({ err }, 'filling waits for PostgreSQL');
      holdBack.refused();
      await holdBack.wait(signal);
    }
  }
}

async function writeUntilTaken(deps: RebuildDeps, { indexName, stillThere }: NewIndex, batch: Change[]): Promise<void> {
  const holdBack = new HoldBack();
  for (let remaining = batch; remaining.length > 0;) {
    const outcomes = await writeChanges(deps.elasticsearch, indexName, remaining);
    for (const change of remaining) await recordIfRejected(deps, change, outcomes.get(change.contentId));
    remaining = remaining.filter((change) => outcomes.get(change.contentId)?.kind === 'retry');
    if (remaining.length === 0) return;
    deps.log.warn({ indexName, items: remaining.length, outcome: outcomes.get(remaining[0]?.contentId ?? 0) }, 'not taken yet');
    holdBack.refused();
    await holdBack.wait(deps.signal);
    // No answer says nothing; an answer without the index says that it is gone.
    if (!(await stillThere().catch(() => true))) throw new RebuildFailed(`${indexName} was lost while it was filled`);
  }
}

async function recordIfRejected(
  { database, log }: RebuildDeps,
  { contentId, revision }: Change,
  outcome: Outcome | undefined,
): Promise<void> {
  if (outcome?.kind !== 'rejected') return;
  log.error({ contentId, reason: outcome.reason }, 'Elasticsearch rejects this item');
  await database.query(
    `insert into index_outbox as o (content_id, revision, rejected_reason)
     select content_id, revision, $3 from content where content_id = $1 and revision = $2
     on conflict (content_id) do update
     set rejected_reason = excluded.rejected_reason, job_id = null, claimed_at = null where o.revision <= excluded.revision`,
    [contentId, revision, outcome.reason],
  );
}
