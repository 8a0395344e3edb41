import { describeDatabase, type DatabaseIdentity } from '../contracts/database-identity.ts';
import type { Database } from '../postgres/postgres.ts';

/** The last job of another database that an indexer of this one has found in the queue. */
export type ForeignJob = { database: string; at: Date };

const RECENT = `interval '1 minute'`;

export async function noteForeignJob(database: Database, of: DatabaseIdentity): Promise<void> {
  await database.query(`update index_control set foreign_job_database = $1, foreign_job_at = clock_timestamp()`, [JSON.stringify(of)]);
}

/** @returns undefined if none was found within the last minute */
export async function readForeignJob(database: Database): Promise<ForeignJob | undefined> {
  const [row] = await database.query<{ of: DatabaseIdentity; at: Date }>(
    `select foreign_job_database as of, foreign_job_at as at from index_control
     where foreign_job_at between clock_timestamp() - ${RECENT} and clock_timestamp() + ${RECENT}`,
  );
  return row && { database: describeDatabase(row.of), at: row.at };
}
