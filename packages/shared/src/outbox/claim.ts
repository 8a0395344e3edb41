import { CLAIMED, CLAIMS_BEFORE_ISOLATION, FREE_CLAIM, UNCLAIMED } from './states.ts';
import type { Database, Tx } from '../stores/postgres.ts';

export type Claim = { jobId: string; contentIds: number[] };

/**
 * Claims up to `limit` due rows for the job `jobId`. Each item that is to be isolated gets a job with a new id. The
 * claim sets due_at to infinity, so that only a change that comes later sets a due time (docs/decisions/0006). Claims
 * nothing while indexing is paused.
 *
 * The condition uses statement_timestamp() because clock_timestamp() is volatile: it could not be an index condition,
 * and the statement would read every row that is not due yet. due_at has no lower bound: a transaction that commits
 * late commits rows below any bound.
 */
export async function claimDue(database: Database, jobId: string, limit: number): Promise<Claim[]> {
  const rows = await database.query<{ content_id: number; job_id: string }>(
    `/* outbox: claim */ with due as (
       select content_id from index_outbox
       where ${UNCLAIMED} and due_at <= statement_timestamp()
         and (select paused_at is null from index_control)
       order by due_at limit $2 for update skip locked
     )
     update index_outbox o
     set job_id = case when o.claims < $3 then $1::uuid else gen_random_uuid() end,
         claimed_at = clock_timestamp(), claims = o.claims + 1, due_at = 'infinity'
     from due where o.content_id = due.content_id
     returning o.content_id, o.job_id`,
    [jobId, limit, CLAIMS_BEFORE_ISOLATION],
  );
  return [...Map.groupBy(rows, (row) => row.job_id)].map(([id, claimed]) => ({
    jobId: id,
    contentIds: claimed.map((row) => row.content_id),
  }));
}

/** Frees the claims of jobs that could not be added to the queue: due at once, and the claims are not counted. */
export async function undoClaims(database: Database, jobIds: string[]): Promise<void> {
  await database.query(
    `/* outbox: undo claims */ ${LOCKED_ROWS} update index_outbox o
     set ${FREE_CLAIM}, due_at = least(o.due_at, clock_timestamp()), claims = greatest(o.claims - 1, 0)
     ${OF_LOCKED_ROWS}`,
    [jobIds],
  );
}

/**
 * Frees the claims of jobs that ended without an acknowledgement. The claims remain counted. The rows are due at once;
 * an isolated item is due after 2 s, and twice as long after each further claim, at most 30 s.
 */
export async function releaseLostJobs(database: Database, jobIds: string[]): Promise<void> {
  await database.query(
    `/* outbox: release lost jobs */ ${LOCKED_ROWS} update index_outbox o
     set ${FREE_CLAIM}, due_at = least(o.due_at, clock_timestamp() + case when o.claims <= $2 then interval '0 s'
       else least(interval '30 s', interval '1 s' * 2 ^ least(o.claims - $2, 10)) end)
     ${OF_LOCKED_ROWS}`,
    [jobIds, CLAIMS_BEFORE_ISOLATION],
  );
}

const LOCKED_ROWS = `with locked as (select content_id from index_outbox where job_id = any($1::uuid[]) order by content_id for update)`;
const OF_LOCKED_ROWS = `from locked where o.content_id = locked.content_id and o.job_id = any($1::uuid[])`;

/**
 * Frees what a job still holds at the end of its acknowledgement, which has locked the rows. The number of claims
 * starts again from zero. Rows for which neither a retry nor a later change set a due time are due at once.
 */
export async function releaseAcknowledgedJob(tx: Tx, jobId: string): Promise<void> {
  await tx.query(
    `/* outbox: release acknowledged job */ update index_outbox
     set ${FREE_CLAIM}, claims = 0, due_at = case when due_at = 'infinity' then clock_timestamp() else due_at end
     where job_id = $1::uuid`,
    [jobId],
  );
}

/** @returns the ids of the jobs that claimed rows more than `olderThanMs` ago and have not acknowledged them */
export async function listUnansweredJobs(database: Database, olderThanMs: number): Promise<string[]> {
  const rows = await database.query<{ job_id: string }>(
    `/* outbox: list unanswered jobs */ select distinct job_id from index_outbox
     where ${CLAIMED} and claimed_at < clock_timestamp() - $1 * interval '1 millisecond'`,
    [olderThanMs],
  );
  return rows.map((row) => row.job_id);
}
