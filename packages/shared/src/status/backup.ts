import type { LastBackup } from '../contracts/operations-status.ts';
import type { Database } from '../postgres/postgres.ts';

/** @returns null if there has never been one */
export async function readLastBackup({ query }: Pick<Database, 'query'>): Promise<LastBackup | null> {
  const [row] = await query<{ completedAt: Date; madeBy: string; ageSeconds: number }>(
    `select completed_at, made_by, extract(epoch from clock_timestamp() - completed_at)::float8 as age_seconds
     from backup order by completed_at desc limit 1`,
  );
  return row ? { ...row, completedAt: row.completedAt.toISOString() } : null;
}

export async function recordBackup({ write }: Pick<Database, 'write'>, madeBy: string): Promise<void> {
  await write(`insert into backup (made_by) values ($1)`, [madeBy]);
}
