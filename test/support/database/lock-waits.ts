import type { Database } from '@ugc/shared/postgres/postgres';

/** The number of sessions of the test's database that wait for a lock. */
export async function countLockWaits(database: Database): Promise<number> {
  const [row] = await database.query<{ waiting: number }>(
    `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}
