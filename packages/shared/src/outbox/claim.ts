import { claiming } from './claim-bound.ts';
import { anyOf, AT_ONCE, CLAIMED, CLAIMS_BEFORE_ISOLATION, FREE_CLAIM, HIDDEN_EARLIER, UNCLAIMED } from './states.ts';
import { creatorOf } from '../contracts/content.ts';
import { DATABASE_IDENTITY, type DatabaseIdentity } from '../contracts/database-identity.ts';
import type { Database, Tx } from '../postgres/postgres.ts';
import { randomUUID } from 'node:crypto';

/** Twice the longest delay of a retry. */
const DELAY_MAX = `interval '60 s'`;
/** A job that was claimed in the future by more than this was claimed before PostgreSQL's clock was set back. */
const CLAIMED_AHEAD = `interval '1 h'`;

/** A creator with more rows in a claim gets a job of their own for them, which other jobs overtake. */
export const SHARE_OF_CREATOR = 100;

/** `database`: the one that the items are in. */
export type Claim = { jobId: string; contentIds: number[]; database: DatabaseIdentity; isOvertaken: boolean };

/** `hidden`: only changes of hidden items, or only all others. `after`: the due time after which to begin. */
type ClaimOptions = { atLeast?: number; atMost: number; hidden?: boolean; after?: string | null };
/** Separates the due times of hidden items from all others. */
const DUE_WITHIN = `interval '500 years'`;

/**
 * Claims up to `atMost` due rows for the job `jobId`, or none if fewer than `atLeast` are due; an item to be isolated
 * gets a job with a new id, and so do the items of creators with more than their share, unless they are hidden. The claim
 * sets due_at to infinity, so that only a later change sets a due time (docs/decisions/0006).
 *
 * clock_timestamp() is volatile and could not be an index condition. The lower bound of due_at is that of ClaimBound. Without
 * it, or in another plan than the scan of the index in its order, the claim would read all dead rows.
 */
export async function claimDue(
  database: Database,
  jobId: string,
  { atLeast = 1, atMost, hidden = false, after = null }: ClaimOptions,
): Promise<Claim[]> {
  const overtakenId = randomUUID();
  const earlier = hidden ? HIDDEN_EARLIER : `interval '0'`;
  const claim = (tx: Tx) =>
    tx.query<{ contentId: number; jobId: string; database: DatabaseIdentity }>(
      `/* outbox: claim */ with due as (
       select content_id from index_outbox
       where ${UNCLAIMED} and due_at <= statement_timestamp() - ${earlier}
         and due_at > coalesce($6::timestamptz, statement_timestamp() - ${earlier} - ${DUE_WITHIN})
         and (select paused_at is null from index_control)
       order by due_at limit $2 for update skip locked
     ), shares as (
       select content_id, count(*) over (partition by ${creatorOf('due')}) as share from due
     ), exceeding as (
       select content_id from shares where share > ${hidden ? 'null' : SHARE_OF_CREATOR}
     )
     update index_outbox o
     set job_id = case when o.claims >= $3 then gen_random_uuid() when o.content_id = ${anyOf('exceeding')} then $5::uuid else $1::uuid end,
         claimed_at = clock_timestamp(), claims = o.claims + 1, due_at = 'infinity'
     where o.content_id = ${anyOf('due')} and (select count(*) from due) >= $4
     returning o.content_id, o.job_id, ${DATABASE_IDENTITY} as database`,
      [jobId, atMost, CLAIMS_BEFORE_ISOLATION, atLeast, overtakenId, hidden ? null : after],
    );
  const rows = await claiming(database, claim);
  const [first] = rows;
  if (!first) return [];
  const jobs = Map.groupBy(rows, (row) => row.jobId);
  return [...jobs].map(([id, claimed]) => ({
    jobId: id,
    contentIds: claimed.map((row) => row.contentId),
    database: first.database,
    isOvertaken: id === overtakenId,
  }));
}

/** Undoes the claims of jobs that could not be queued: the rows are due at once, and the claims are not counted. */
export async function undoClaims(database: Database, jobIds: string[]): Promise<void> {
  await database.query(
    `/* outbox: undo claims */ ${LOCKED_ROWS} update index_outbox o
     set ${FREE_CLAIM}, due_at = ${AT_ONCE}, claims = greatest(o.claims - 1, 0)
     ${OF_LOCKED_ROWS}`,
    [jobIds],
  );
}

/** Releases jobs that are not acknowledged. Isolated items are due after 2 s, doubled by each later claim, at most 30 s. */
export async function releaseLostJobs(database: Database, jobIds: string[]): Promise<void> {
  await database.query(
    `/* outbox: release lost jobs */ ${LOCKED_ROWS} update index_outbox o
     set ${FREE_CLAIM}, due_at = greatest(${AT_ONCE}, least(o.due_at, ${AT_ONCE} + case when o.claims <= $2 then interval '0 s'
       else least(interval '30 s', interval '1 s' * 2 ^ least(o.claims - $2, 10)) end))
     ${OF_LOCKED_ROWS}`,
    [jobIds, CLAIMS_BEFORE_ISOLATION],
  );
}

const LOCKED_ROWS = `with locked as (select content_id from index_outbox where job_id = any($1::uuid[]) order by content_id for update)`;
const OF_LOCKED_ROWS = `where o.content_id = ${anyOf('locked')} and o.job_id = any($1::uuid[])`;

/** The acknowledgement has locked the rows. They are due at once unless a retry or a later change set a later time. */
export async function releaseAcknowledgedJob(tx: Tx, jobId: string): Promise<void> {
  await tx.query(
    `/* outbox: release acknowledged job */ update index_outbox o
     set ${FREE_CLAIM}, claims = 0, due_at = greatest(${AT_ONCE}, nullif(due_at, 'infinity'))
     where job_id = $1::uuid`,
    [jobId],
  );
}

export async function listUnacknowledgedJobs(database: Database, olderThanMs: number): Promise<string[]> {
  const rows = await database.query<{ jobId: string }>(
    `/* outbox: list unacknowledged jobs */ select distinct job_id from index_outbox
     where ${CLAIMED} and (claimed_at < clock_timestamp() - $1 * interval '1 millisecond' or claimed_at > clock_timestamp() + ${CLAIMED_AHEAD})`,
    [olderThanMs],
  );
  return rows.map((row) => row.jobId);
}

/**
 * Pulls rows forward that are due later than any retry can be: PostgreSQL's clock was set back. They would else wait
 * until the clock is there again.
 */
export async function pullForward(database: Database): Promise<void> {
  await database.query(
    `/* outbox: pull forward */ with late as (
       select content_id from index_outbox
       where ${UNCLAIMED} and (due_at > statement_timestamp() + ${DELAY_MAX} or due_at > statement_timestamp() - ${HIDDEN_EARLIER} + ${DELAY_MAX}
         and due_at < statement_timestamp() - ${DUE_WITHIN}) order by content_id for update
     )
     update index_outbox o set due_at = ${AT_ONCE} where o.content_id = ${anyOf('late')}`,
  );
}

/** The next claim gives the item a job of its own. */
export async function isolateItem(database: Database, contentId: number): Promise<void> {
  await database.query(
    `/* outbox: isolate item */ insert into index_outbox as o (content_id, revision, claims)
     select content_id, revision, $2 from content where content_id = $1
     on conflict (content_id) do update set revision = greatest(o.revision, excluded.revision), claims = greatest(o.claims, excluded.claims)`,
    [contentId, CLAIMS_BEFORE_ISOLATION],
  );
}
