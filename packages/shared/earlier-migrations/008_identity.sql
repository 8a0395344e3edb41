-- Up Migration

-- Exception adding-field-with-default: index_control has one row.
-- Exception require-concurrent-index-creation: index_target has a few rows.
-- Exception require-concurrent-index-deletion: index_target has a few rows.

-- A copy of the database has the same id; the system identifier of PostgreSQL, the oid and the address tell the two apart.
-- The indexer writes the identity into every index, and writes to no index that has another one.
alter table index_control
  add column database_id uuid not null default gen_random_uuid(),
  -- A token that the processes of this database renew here and then in Elasticsearch.
  add column beat uuid,
  add column previous_beat uuid,
  add column beat_at timestamptz,
  -- How many times in a row Elasticsearch had a token that this database had never had.
  add column foreign_beats integer not null default 0,
  -- The last job in the queue that named another database.
  add column foreign_job_database jsonb,
  add column foreign_job_at timestamptz;

-- After a change of the alias, each alias has a searched index and perhaps one that is being filled.
drop index index_target_role;
create unique index index_target_role on index_target (role, regexp_replace(index_name, '-v\d+-\d+$', '')) where role <> 'previous';

-- The address is that of this connection. A user who may not read the system identifier gets an empty one.
create function database_identity() returns jsonb language plpgsql stable as $$
declare
  system_identifier text := '';
begin
  begin
    select c.system_identifier into system_identifier from pg_control_system() c;
  exception when insufficient_privilege then
    null;
  end;
  return jsonb_build_object(
    'id', (select database_id from index_control),
    'system', system_identifier,
    'oid', (select oid::text from pg_database where datname = current_database()),
    'address', coalesce(host(inet_server_addr()) || ':' || inet_server_port(), ''),
    'name', current_database()
  );
end
$$;
