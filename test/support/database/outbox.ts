import type { Database } from '@ugc/shared/postgres/postgres';

/** Counts the rows of the outbox. @param where an SQL condition */
export async function countOutbox(database: Database, where = 'true'): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*) from index_outbox where ${where}`);
  return row?.count ?? 0;
}

/** Counting a million rows many times per second would take half a core. @param where an SQL condition */
export async function isInOutbox(database: Database, where: string): Promise<boolean> {
  return (await database.query(`select from index_outbox where ${where} limit 1`)).length > 0;
}

/** Makes changes due whose counters are indexed later, or that are repeated after a pause. */
export async function endDelays(database: Database): Promise<void> {
  await database.query(
    `update index_outbox set due_at = clock_timestamp() where content_id in (
       select content_id from index_outbox where due_at between clock_timestamp() and clock_timestamp() + interval '1 minute'
       order by content_id for update skip locked)`,
  );
}

export const CLAIMED = '(job_id is not null)';
export const NOT_REJECTED = 'rejected_reason is null';
