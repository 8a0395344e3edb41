import type { Elasticsearch } from '@ugc/shared/elasticsearch';
import { listTargets } from '@ugc/shared/index-target';
import type { Log } from '@ugc/shared/log';
import type { Database } from '@ugc/shared/postgres';
import { toChange, type Change } from './bulk.ts';
import { INDEXED_CONTENT, type IndexedContent } from './document.ts';
import { HoldBack } from './hold-back.ts';
import { writeChanges } from './write-changes.ts';

export type RebuildDeps = { database: Database; elasticsearch: Elasticsearch; alias: string; log: Log; signal: AbortSignal };
export type Progress = (done: number, total: number) => void;

/** The new index refused a document. The index that is searched is untouched. */
export class RebuildFailed extends Error {
  override readonly name = 'RebuildFailed';
}

const BATCH = 100;

/**
 * Writes every item of PostgreSQL, and every tombstone, to an index, in key order. External versions make any order with live writes right.
 * What Elasticsearch can't take now is tried again until it can; an item that is at fault itself becomes a rejected one
 * of the outbox when there is no index yet that could be searched instead.
 * @throws RebuildFailed when an index is searched already and the new one refuses an item that the old one holds
 */
export async function fillIndex(deps: RebuildDeps, indexName: string, progress: Progress): Promise<void> {
  const total = await countContent(deps.database);
  let done = 0;
  progress(done, total);
  for (
    let batch = await readAfter(deps.database, 0);
    batch.length > 0;
    batch = await readAfter(deps.database, batch.at(-1)?.contentId ?? 0)
  ) {
    deps.signal.throwIfAborted();
    await writeUntilTaken(deps, indexName, batch);
    done += batch.length;
    progress(done, Math.max(done, total));
  }
}

async function countContent(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*) from content`);
  return row?.count ?? 0;
}

async function readAfter(database: Database, contentId: number): Promise<Change[]> {
  const rows = await database.query<IndexedContent>(
    `select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id
     where c.content_id > $1 order by c.content_id limit ${BATCH}`,
    [contentId],
  );
  return rows.map(toChange);
}

async function writeUntilTaken(deps: RebuildDeps, indexName: string, batch: Change[]): Promise<void> {
  const holdBack = new HoldBack();
  let remaining = batch;
  while (remaining.length > 0) {
    const outcomes = await writeChanges(deps.elasticsearch, indexName, remaining);
    for (const [contentId, outcome] of outcomes) {
      if (outcome.kind === 'rejected') await recordRejection(deps, contentId, outcome.reason);
    }
    remaining = remaining.filter((change) => outcomes.get(change.contentId)?.kind === 'retry');
    if (remaining.length === 0) return;
    deps.log.warn({ indexName, items: remaining.length, outcome: outcomes.get(remaining[0]?.contentId ?? 0) }, 'not taken yet');
    holdBack.refused();
    await holdBack.wait(deps.signal);
  }
}

async function recordRejection({ database }: RebuildDeps, contentId: number, reason: string): Promise<void> {
  const searched = (await listTargets(database)).some((target) => target.role === 'search');
  const rejected = await database.query(
    `update index_outbox set rejected_reason = $2, job_id = null, claimed_at = null where content_id = $1
       and (rejected_reason is not null or not $3) returning 1`,
    [contentId, reason, searched],
  );
  if (rejected.length > 0) return;
  if (searched) throw new RebuildFailed(`item ${contentId} is refused: ${reason}`);
  await database.query(
    `insert into index_outbox (content_id, revision, rejected_reason) select content_id, revision, $2 from content where content_id = $1
     on conflict (content_id) do nothing`,
    [contentId, reason],
  );
}
