import { pausedSince } from '@ugc/shared/index-pause';
import { findTarget, giveUpTargets, noteFilled, type IndexTarget } from '@ugc/shared/index-target';
import { DatabaseUnavailable, type Database } from '@ugc/shared/postgres';
import { toChange, type Change, type Outcome } from './bulk.ts';
import { isStillThere, type IndexDeps } from './concrete-index.ts';
import { INDEXED_CONTENT, type IndexedContent } from './document.ts';
import { HoldBack } from './hold-back.ts';
import { writeChanges } from './write-changes.ts';

/** @param done items, of `total` */
export type Progress = (phase: string, done: number, total: number) => void;

/** The new index could not be completed. It is not searched. */
export class RebuildFailed extends Error {
  override readonly name = 'RebuildFailed';
}

const BATCH = 200;

/**
 * Writes every item of PostgreSQL, and every tombstone, to an index, in key order, from where an earlier call stopped. External
 * versions make any order with live writes right. What Elasticsearch or PostgreSQL can't do now is tried again until they can.
 * An item that the index refuses ends it, unless it was rejected already or there is no other index to search.
 * @throws RebuildFailed
 */
export async function fillIndex(deps: IndexDeps, index: IndexTarget, progress: Progress): Promise<void> {
  const total = await countContent(deps.database);
  let done = Math.max(0, total - (await countContent(deps.database, index.filledTo)));
  progress('Filling', done, total);
  for (let batch = await readAfter(deps, index.filledTo); batch.length > 0;) {
    deps.signal.throwIfAborted();
    if (await pausedSince(deps.database))
      throw new RebuildFailed(`indexing was paused; ${index.indexName} is filled on after index:resume`);
    await writeUntilTaken(deps, index, batch);
    const last = batch.at(-1)?.contentId ?? 0;
    assertWanted(await noteFilled(deps.database, index.indexName, last), index);
    done += batch.length;
    progress('Filling', done, Math.max(done, total));
    batch = await readAfter(deps, last);
  }
}

function assertWanted(target: IndexTarget | undefined, { indexName }: IndexTarget): void {
  if (target?.rejectedReason !== null)
    throw new RebuildFailed(`${indexName} refused a document: ${target?.rejectedReason ?? 'it was removed'}`);
}

/** For progress alone. @returns 0 when there are too many to be counted in time */
export async function countContent(database: Database, afterContentId = 0): Promise<number> {
  const counting = database.query<{ count: number }>(`select count(*) from content where content_id > $1`, [afterContentId]);
  const [row] = await counting.catch(() => []);
  return row?.count ?? 0;
}

async function readAfter({ database, log, signal }: IndexDeps, contentId: number): Promise<Change[]> {
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

async function writeUntilTaken(deps: IndexDeps, index: IndexTarget, batch: Change[]): Promise<void> {
  const holdBack = new HoldBack();
  for (let remaining = batch; remaining.length > 0;) {
    const outcomes = await writeChanges(deps.elasticsearch, index.indexName, remaining);
    for (const change of remaining) await handleRejection(deps, index, change, outcomes.get(change.contentId));
    remaining = remaining.filter((change) => outcomes.get(change.contentId)?.kind === 'retry');
    if (remaining.length === 0) return;
    deps.log.warn({ index: index.indexName, outcome: outcomes.get(remaining[0]?.contentId ?? 0) }, 'filling waits for Elasticsearch');
    holdBack.refused();
    await holdBack.wait(deps.signal);
    // No answer says nothing; an answer without the index says that it is gone.
    if (!(await isStillThere(deps, index).catch(() => true))) throw new RebuildFailed(`${index.indexName} was lost while it was filled`);
  }
}

async function handleRejection(deps: IndexDeps, { indexName }: IndexTarget, change: Change, outcome: Outcome | undefined): Promise<void> {
  if (outcome?.kind !== 'rejected' || (await isRejected(deps.database, change))) return;
  const reason = `item ${change.contentId}: ${outcome.reason}`;
  if (await findTarget(deps.database, 'search')) {
    await giveUpTargets(deps.database, [{ indexName, reason }]);
    throw new RebuildFailed(`${indexName} refuses ${reason}`);
  }
  deps.log.error({ contentId: change.contentId, reason: outcome.reason }, 'Elasticsearch rejects this item');
  await reject(deps.database, change, outcome.reason);
}

async function isRejected(database: Database, { contentId, revision }: Change): Promise<boolean> {
  const rows = await database.query(`select 1 from index_outbox where content_id = $1 and revision = $2 and rejected_reason is not null`, [
    contentId,
    revision,
  ]);
  return rows.length > 0;
}

async function reject(database: Database, { contentId, revision }: Change, reason: string): Promise<void> {
  await database.query(
    `insert into index_outbox as o (content_id, revision, rejected_reason)
     select content_id, revision, $3 from content where content_id = $1 and revision = $2
     on conflict (content_id) do update
     set rejected_reason = excluded.rejected_reason, job_id = null, claimed_at = null where o.revision <= excluded.revision`,
    [contentId, revision, reason],
  );
}
