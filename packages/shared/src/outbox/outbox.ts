import type { Database, Tx } from '../stores/postgres.ts';

/**
 * index_outbox holds one row for each item with a change that Elasticsearch has not accepted yet. It is the truth about what
 * is left to do: a row is written in the change's own transaction and goes only when that revision, or a newer one, is indexed.
 */

export type ItemRevision = { content_id: number; revision: number };

/**
 * To be called in the transaction that raised the revisions. A change clears an earlier rejection and takes the earlier due time.
 * @param delayMs how long the changes may wait for others of the same items
 */
export async function markPending(tx: Tx, changes: ItemRevision[], delayMs = 0): Promise<void> {
  await tx.query(
    `with changed as (select * from unnest($1::bigint[], $2::bigint[]) as c (content_id, revision))
     ${insertPending('changed', '$3')}`,
    [changes.map((change) => change.content_id), changes.map((change) => change.revision), delayMs],
  );
}

/**
 * The same as part of one statement with the change itself.
 * @param changed a table expression with `content_id` and `revision` · @param delayMs a parameter such as `$2`
 */
export function insertPending(changed: string, delayMs: string): string {
  return `insert into index_outbox as o (content_id, revision, due_at)
     select content_id, revision, clock_timestamp() + ${delayMs}::integer * interval '1 millisecond' from ${changed} order by content_id
     on conflict (content_id) do update
     set revision = excluded.revision, due_at = least(o.due_at, excluded.due_at), rejected_reason = null`;
}

/** A row claimed this often without an answer travels alone, so that what kills a process is found. */
export const CLAIMS_BEFORE_ISOLATION = 3;

export type Claim = { jobId: string; contentIds: number[] };

/**
 * Takes up to `limit` due rows for the job `jobId`; suspicious rows get a job of their own. What was due goes with the job, so that
 * only a change that comes later sets a time again. Takes nothing while indexing is paused.
 *
 * clock_timestamp() is volatile and could not be an index condition: every row that is not due yet would be read. There is no lower
 * bound on due_at: a transaction that commits late commits rows below it.
 */
export async function claimDue(database: Database, jobId: string, limit: number): Promise<Claim[]> {
  const rows = await database.query<{ content_id: number; job_id: string }>(
    `with due as (
       select content_id from index_outbox
       where job_id is null and rejected_reason is null and due_at <= statement_timestamp()
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

/** Gives claims back whose jobs could not be handed to Redis: nobody tried them, so they do not count. */
export async function undoClaims(database: Database, jobIds: string[]): Promise<void> {
  await database.query(`${LOCKED_ROWS} update index_outbox o set ${FREED}, claims = greatest(o.claims - 1, 0) ${OF_LOCKED_ROWS}`, [jobIds]);
}

/** Gives back the rows of jobs that are gone. The claims stay counted, and what travels alone by now waits longer each time. */
export async function releaseLostJobs(database: Database, jobIds: string[]): Promise<void> {
  await database.query(
    `${LOCKED_ROWS} update index_outbox o
     set job_id = null, claimed_at = null, due_at = least(o.due_at, clock_timestamp() + case when o.claims <= $2 then interval '0 s'
       else least(interval '30 s', interval '1 s' * 2 ^ least(o.claims - $2, 10)) end)
     ${OF_LOCKED_ROWS}`,
    [jobIds, CLAIMS_BEFORE_ISOLATION],
  );
}

// Always locked in content_id order, so that statements that share rows never wait for each other in a circle.
const LOCKED_ROWS = `with locked as (select content_id from index_outbox where job_id = any($1::uuid[]) order by content_id for update)`;
const OF_LOCKED_ROWS = `from locked where o.content_id = locked.content_id and o.job_id = any($1::uuid[])`;
// Due at once, unless a later change has set a time.
const FREED = `job_id = null, claimed_at = null, due_at = least(o.due_at, clock_timestamp())`;

/** The jobs that have kept rows for longer than `olderThanMs` without an answer. */
export async function listUnansweredJobs(database: Database, olderThanMs: number): Promise<string[]> {
  const rows = await database.query<{ job_id: string }>(
    `select distinct job_id from index_outbox
     where job_id is not null and claimed_at < clock_timestamp() - $1 * interval '1 millisecond'`,
    [olderThanMs],
  );
  return rows.map((row) => row.job_id);
}
