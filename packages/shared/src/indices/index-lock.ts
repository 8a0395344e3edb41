import type { Database } from '../stores/postgres.ts';

/** Only one process at a time creates, swaps, removes or purges indices. */
export const INDEX_LOCK = 7_316_204_118;

/** Reads the state of the lock without taking it. */
export async function isIndexLocked(database: Database): Promise<boolean> {
  // PostgreSQL shows a key of 64 bits as two numbers of 32 bits (manual, pg_locks).
  const [row] = await database.query<{ locked: boolean }>(
    `select exists (
       select from pg_locks join pg_database d on d.oid = database
       where locktype = 'advisory' and objsubid = 1 and (classid::bigint << 32) + objid::bigint = $1
         and granted and d.datname = current_database()
     ) as locked`,
    [INDEX_LOCK],
  );
  return row?.locked ?? false;
}
