import { releaseAcknowledgedJob } from './claim.ts';
import { rejectChanges } from './rejected.ts';
import { AT_ONCE } from './states.ts';
import type { Database, Tx } from '../postgres/postgres.ts';

export type ChangeResult =
  /** `orphan`: PostgreSQL did not have the item, and its document was deleted. */
  | { result: 'acknowledged'; contentId: number; revision: number; orphan?: boolean }
  | { result: 'retried'; contentId: number; reason: string }
  | { result: 'rejected'; contentId: number; revision: number; reason: string };

/** `generation` is that of the target list that the changes were written to. */
type JobResults = { jobId: string; generation: number; results: ChangeResult[] };

/** The results that took effect, and the seconds that each acknowledged change was pending. */
export type Acknowledged = { results: ChangeResult[]; pendingSeconds: number[] };

/**
 * A row is removed only if it has no newer revision, the target list has not changed since it was read, and PostgreSQL
 * has not been restored to an older revision since then. Every other row of the job becomes free to be claimed again.
 */
export async function acknowledge(database: Database, { jobId, generation, results }: JobResults): Promise<Acknowledged> {
  const indexed = results.filter((change) => change.result === 'acknowledged');
  const rejected = results.filter((change) => change.result === 'rejected');
  const postponed = results.filter((change) => change.result === 'retried');
  return database.transaction(async (tx) => {
    const [control] = await tx.query<{ generation: number }>(`select generation from index_control for share`);
    const isCurrent = control?.generation === generation;
    const pendingSeconds = await lockRows(tx, jobId, idsOf(results));
    const removed = isCurrent ? await removeIndexed(tx, indexed) : new Set();
    if (isCurrent && rejected.length > 0) await rejectChanges(tx, rejected);
    if (postponed.length > 0) await postpone(tx, idsOf(postponed));
    // Usually no row is left.
    if (pendingSeconds.keys().some((contentId) => !removed.has(contentId))) await releaseAcknowledgedJob(tx, jobId);
    return effectOf(isCurrent ? results : results.map(retriedUnderNewTargets), pendingSeconds);
  });
}

/** A change without a row was acknowledged by another job. */
function effectOf(results: ChangeResult[], pendingSeconds: Map<number, number>): Acknowledged {
  const acknowledged = results.filter(({ result }) => result === 'acknowledged');
  return {
    results: results.filter(({ contentId }) => pendingSeconds.has(contentId)),
    pendingSeconds: acknowledged.flatMap(({ contentId }) => pendingSeconds.get(contentId) ?? []),
  };
}

function retriedUnderNewTargets({ contentId }: ChangeResult): ChangeResult {
  return { result: 'retried', contentId, reason: 'the list of targets changed while the change was written' };
}

// While indexing is paused, the job holds rows but has no results.
async function lockRows(tx: Tx, jobId: string, contentIds: number[]): Promise<Map<number, number>> {
  const rows = await tx.query<{ contentId: number; pendingSeconds: number }>(
    `/* outbox: lock acknowledged */
     select content_id, greatest(0, extract(epoch from clock_timestamp() - pending_since))::float8 as pending_seconds
     from index_outbox where content_id = any($1::bigint[]) or job_id = $2::uuid order by content_id for update`,
    [contentIds, jobId],
  );
  return new Map(rows.map((row) => [row.contentId, row.pendingSeconds]));
}

function idsOf(changes: { contentId: number }[]): number[] {
  return changes.map((change) => change.contentId);
}

type Indexed = { contentId: number; revision: number; orphan?: boolean };

/** A restore of PostgreSQL has taken the revision back, or an upload has taken the id of a deleted document. */
const IS_LOST = `case when w.orphan then exists (select from content c where c.content_id = w.content_id)
  else (select c.revision from content c where c.content_id = w.content_id) < w.revision end`;

/** A row with a newer revision remains. Only that revision is pending now. @returns the ids of the removed rows */
async function removeIndexed(tx: Tx, indexed: Indexed[]): Promise<Set<number>> {
  const written = `unnest($1::bigint[], $2::bigint[], $3::boolean[]) as w (content_id, revision, orphan)`;
  const values = [idsOf(indexed), indexed.map(({ revision }) => revision), indexed.map(({ orphan = false }) => orphan)];
  const rows = await tx.query<{ contentId: number }>(
    `/* outbox: remove indexed */
     delete from index_outbox o using ${written}
     where o.content_id = any($1::bigint[]) and o.content_id = w.content_id and o.revision <= w.revision and (${IS_LOST}) is not true returning o.content_id`,
    values,
  );
  const removed = new Set(rows.map((row) => row.contentId));
  if (removed.size === indexed.length) return removed;
  await tx.query(
    `/* outbox: note indexed */ update index_outbox o set pending_since = clock_timestamp(), indexed_revision = w.revision
     from ${written} where o.content_id = any($1::bigint[]) and o.content_id = w.content_id and o.revision > w.revision and (${IS_LOST}) is not true`,
    values,
  );
  return removed;
}

/** Backs off in proportion to the time the row has been pending, with jitter. */
async function postpone(tx: Tx, contentIds: number[]): Promise<void> {
  await tx.query(
    `/* outbox: postpone */ update index_outbox o
     set due_at = least(due_at, ${AT_ONCE}
       + least(interval '15 s', greatest(interval '0.2 s', clock_timestamp() - pending_since)) * (0.5 + random() / 2))
     where content_id = any($1::bigint[])`,
    [contentIds],
  );
}
