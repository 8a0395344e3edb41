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

export const CLAIMED = '(job_id is not null)';
export const NOT_REJECTED = 'rejected_reason is null';
