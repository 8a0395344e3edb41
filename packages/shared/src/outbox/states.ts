import { rowIsHidden } from '../contracts/hidden.ts';

/**
 * The table index_outbox holds one row for each item that has a change which is not indexed yet. The transaction that
 * makes the change writes the row. The row is removed when that revision, or a newer one, is in every target.
 * docs/architecture.md draws its states.
 *
 * A job whose claim was released in the meantime can still remove or reject rows; its retries do not free the claim of
 * another job.
 *
 * A statement or transaction that locks several rows locks them in content_id order, so that no two of them deadlock.
 * Only claimDue locks in another order: it skips locked rows.
 */

/** A row as the database returns it. */
export type ItemRevision = { contentId: number; revision: number };

/** An item with this many claims without acknowledgement is isolated: it may crash the process that indexes it. */
export const CLAIMS_BEFORE_ISOLATION = 3;

/** Conditions on a row. The partial indexes on due_at and job_id have the conditions UNCLAIMED and CLAIMED. */
export const UNCLAIMED = `job_id is null and rejected_reason is null`;
export const CLAIMED = `job_id is not null`;
export const REJECTED = `rejected_reason is not null`;
/** Pending or claimed. */
export const NOT_REJECTED = `rejected_reason is null`;

/**
 * The change that hides an item goes before all others: it is due this much earlier, and it has a claim of its own. Older
 * releases claim in the order of the due times, too.
 */
export const HIDDEN_EARLIER = `interval '1000 years'`;
/**
 * The time at which the row `o` is due that is released now. Only moderation goes first, and not what a creator withdraws.
 * No release sets an earlier time, such as that of a change that came while the job waited: a claim does not look there.
 */
export const AT_ONCE = `clock_timestamp() - case when ${rowIsHidden('o')} then ${HIDDEN_EARLIER} else interval '0' end`;

/**
 * The ids of a common table expression, for a condition on the primary key. Not a join: a queue is mostly empty when its
 * statistics are taken, so the planner expects one row, and joins by reading the whole queue once for each id.
 */
export const anyOf = (expression: string): string => `any(array(select content_id from ${expression}))`;

/** The assignments that end a claim. The due time and the number of claims depend on why it ends. */
export const FREE_CLAIM = `job_id = null, claimed_at = null`;

/** The assignments that end the rejection of the row `o`, if it is rejected: the time of the rejection is no time of waiting. */
export const END_REJECTION = `rejected_reason = null,
  pending_since = case when o.rejected_reason is null then o.pending_since else clock_timestamp() end`;
