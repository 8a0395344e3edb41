import { pausedSince } from '@ugc/shared/index-pause';
import { listTargets, noteFilled, type IndexTarget } from '@ugc/shared/index-target';
import { DatabaseUnavailable, type Database } from '@ugc/shared/postgres';
import { toChange, type Change } from './bulk.ts';
import { isStillThere, type IndexDeps } from './concrete-index.ts';
import { INDEXED_CONTENT, type IndexedContent } from './document.ts';
import { HoldBack } from './hold-back.ts';
import { RebuildFailed } from './rebuild-failed.ts';
import { settleRefusal } from './settle-refusal.ts';
import { writeChanges, type Outcomes } from './write-changes.ts';

/** @param done items, of `total` */
export type Progress = (phase: string, done: number, total: number) => void;

const BATCH = 200;

/**
 * Writes every item of PostgreSQL, and every tombstone, to an index, in key order, from where an earlier call stopped. External
 * versions make any order with live writes right. What Elasticsearch or PostgreSQL can't do now is tried again until they can.
 * An item that the index refuses is rejected, but if the searched index has it: then the index is given up.
 * @throws RebuildFailed
 */
export async function fillIndex(deps: IndexDeps, index: IndexTarget, progress: Progress): Promise<void> {
  const total = await countContent(deps.database);
  let done = Math.max(0, total - (await countContent(deps.database, index.filledTo)));
  progress('Filling', done, total);
  for (let batch = await readAfter(deps, index.filledTo); batch.length > 0;) {
    await writeUntilTaken(deps, index, batch, () => progress('Filling', done, Math.max(done, total)));
    const last = batch.at(-1)?.contentId ?? 0;
    await noteFilled(deps.database, index.indexName, last);
    done += batch.length;
    progress('Filling', done, Math.max(done, total));
    batch = await readAfter(deps, last);
  }
}

async function assertWanted({ database, signal }: IndexDeps, { indexName }: IndexTarget): Promise<void> {
  signal.throwIfAborted();
  if (await pausedSince(database)) throw new RebuildFailed(`indexing was paused; ${indexName} is filled on after index:resume`);
  const target = (await listTargets(database)).find((listed) => listed.indexName === indexName);
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

async function writeUntilTaken(deps: IndexDeps, index: IndexTarget, batch: Change[], stillAtIt: () => void): Promise<void> {
  const holdBack = new HoldBack();
  for (let remaining = batch; remaining.length > 0;) {
    await assertWanted(deps, index);
    const outcomes = await writeChanges(deps.elasticsearch, index.indexName, remaining);
    remaining = await unsettled(deps, index, remaining, outcomes);
    if (remaining.length === 0) return;
    deps.log.warn({ index: index.indexName, outcome: outcomes.get(remaining[0]?.contentId ?? 0) }, 'filling waits');
    stillAtIt();
    holdBack.refused();
    await holdBack.wait(deps.signal);
    // No answer says nothing; an answer without the index says that it is gone.
    if (!(await isStillThere(deps, index).catch(() => true))) throw new RebuildFailed(`${index.indexName} was lost while it was filled`);
  }
}

async function unsettled(deps: IndexDeps, index: IndexTarget, changes: Change[], outcomes: Outcomes): Promise<Change[]> {
  const left: Change[] = [];
  for (const change of changes) {
    const outcome = outcomes.get(change.contentId);
    const settled = outcome?.kind === 'rejected' ? await settleRefusal(deps, index, change, outcome.reason) : outcome?.kind === 'written';
    if (!settled) left.push(change);
  }
  return left;
}
