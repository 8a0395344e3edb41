import { releaseAcknowledgedJob } from './claim.ts';
import { rejectChanges } from './reject.ts';
import type { Database, Tx } from '../stores/postgres.ts';

/** What becomes of a change once it was written to every target. */
export type ChangeResult =
  | { result: 'acknowledged'; contentId: number; revision: number }
  | { result: 'retried'; contentId: number; reason: string }
  | { result: 'rejected'; contentId: number; revision: number; reason: string };

export type JobResults = {
  jobId: string;
  /** The generation of the target list that the changes were written to. */
  generation: number;
  results: ChangeResult[];
};

/** The results that took effect, and the seconds that each acknowledged change was pending. */
export type Acknowledged = { results: ChangeResult[]; pendingSeconds: number[] };

/**
 * Removes indexed changes from the outbox, in one transaction. A row is removed only if it has no newer revision and
 * the target list has not changed since it was read. Every other row of the job becomes free to be claimed again.
 */
export async function acknowledge(database: Database, { jobId, generation, results }: JobResults): Promise<Acknowledged> {
  const indexed = results.filter((change) => change.result === 'acknowledged');
  const rejected = results.filter((change) => change.result === 'rejected');
  const postponed = results.filter((change) => change.result === 'retried');
  return database.transaction(async (tx) => {
    const current = await lockGeneration(tx);
    const pendingSeconds = await lockRows(tx, jobId, idsOf(results));
    if (current === generation) {
      await removeIndexed(tx, indexed);
      await noteIndexed(tx, indexed);
      if (rejected.length > 0) await rejectChanges(tx, rejected);
    }
    if (postponed.length > 0) await postpone(tx, idsOf(postponed));
    await releaseAcknowledgedJob(tx, jobId);
    return effectOf(current === generation ? results : results.map(retriedUnderNewTargets), pendingSeconds);
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

async function lockGeneration(tx: Tx): Promise<number | undefined> {
  const [row] = await tx.query<{ generation: number }>(`select generation from index_control for share`);
  return row?.generation;
}

// Locks all rows that the transaction changes: those with a result, and those without one that the job still holds,
// which are all of them while indexing is paused.
async function lockRows(tx: Tx, jobId: string, contentIds: number[]): Promise<Map<number, number>> {
  const rows = await tx.query<{ content_id: number; pending_seconds: number }>(
    `/* outbox: lock acknowledged */
     select content_id, extract(epoch from clock_timestamp() - pending_since)::float8 as pending_seconds
     from index_outbox where content_id = any($1::bigint[]) or job_id = $2::uuid order by content_id for update`,
    [contentIds, jobId],
  );
  return new Map(rows.map((row) => [row.content_id, row.pending_seconds]));
}

function idsOf(changes: { contentId: number }[]): number[] {
  return changes.map((change) => change.contentId);
}

type Written = { contentId: number; revision: number };

async function removeIndexed(tx: Tx, written: Written[]): Promise<void> {
  await tx.query(
    `/* outbox: remove indexed */
     delete from index_outbox o using unnest($1::bigint[], $2::bigint[]) as w (content_id, revision)
     where o.content_id = w.content_id and o.revision <= w.revision`,
    [idsOf(written), written.map((w) => w.revision)],
  );
}

// Rows with a newer revision remain. Only that revision is pending now.
async function noteIndexed(tx: Tx, written: Written[]): Promise<void> {
  await tx.query(
    `/* outbox: note indexed */
     update index_outbox o set pending_since = clock_timestamp(), indexed_revision = w.revision
     from unnest($1::bigint[], $2::bigint[]) as w (content_id, revision)
     where o.content_id = w.content_id and o.revision > w.revision`,
    [idsOf(written), written.map((w) => w.revision)],
  );
}

/** Delays a retry by 0.5 to 1 times the time the row has been pending (at least 0.2 s, at most 15 s), with jitter. */
async function postpone(tx: Tx, contentIds: number[]): Promise<void> {
  await tx.query(
    `/* outbox: postpone */ update index_outbox
     set due_at = least(due_at, clock_timestamp()
       + least(interval '15 s', greatest(interval '0.2 s', clock_timestamp() - pending_since)) * (0.5 + random() / 2))
     where content_id = any($1::bigint[])`,
    [contentIds],
  );
}
