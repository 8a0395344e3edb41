/**
 * Makes the database a copy with an identity of its own, which lists no index: its indexers fill one. In a backup of a
 * release without identities, the migration that adds them chooses a new one.
 */
export const OWN_IDENTITY = `do $$ begin
  delete from index_target;
  if exists (select from pg_attribute where attrelid = to_regclass('index_control') and attname = 'database_id' and not attisdropped) then
    update index_control set generation = generation + 1, database_id = gen_random_uuid(), beat = null, previous_beat = null,
      beat_at = null, foreign_beats = 0, foreign_job_database = null, foreign_job_at = null;
  end if;
end $$`;
