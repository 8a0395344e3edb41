-- Up Migration

-- What steers indexing as a whole: one row.
alter table index_generation rename to index_control;
-- Since when nothing is handed out and nothing written, on an operator's word; null while indexing runs.
alter table index_control add column paused_at timestamptz;

alter table index_target
  -- An indexer writes only to indices that its own code, or older code, has made.
  add column mapping_version integer not null default 1,
  -- Elasticsearch's own id: a name can come back with other contents, a uuid can't. Null until the index has been made.
  add column uuid text,
  -- All items up to this one have been written to it by the rebuild, so that one that was stopped goes on here.
  add column filled_to bigint not null default 0,
  add column role_since timestamptz not null default clock_timestamp();
