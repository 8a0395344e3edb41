import type { Database, Tx } from '@ugc/shared/stores/postgres';

/**
 * Makes the database a copy with an identity of its own, which lists no index: its indexers fill one. In a backup of a
 * release without identities, the migration that adds them chooses a new one.
 */
export async function giveOwnIdentity(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('delete from index_target');
    if (!(await hasIdentity(tx))) return;
    await tx.query(
      `update index_control set generation = generation + 1, database_id = gen_random_uuid(), beat = null, previous_beat = null,
         beat_at = null, foreign_beats = 0, foreign_job_database = null, foreign_job_at = null`,
    );
  });
}

async function hasIdentity({ query }: Tx): Promise<boolean> {
  const columns = await query(
    `select from pg_attribute where attrelid = to_regclass('index_control') and attname = 'database_id' and not attisdropped`,
  );
  return columns.length > 0;
}
