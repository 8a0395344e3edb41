-- A restore over a closed index keeps its name and its UUID, and brings back what was deleted and hidden since the snapshot.

alter table index_target
  -- Elasticsearch's own ids of the history of the index, and of each of its shards: it begins another history when it restores
  -- them. Null until an indexer has learnt them.
  add column history jsonb,
  -- What is still to be done after the last restore: `find` the items that lists must not show, `settle` their changes, then all
  -- `others`. Null if nothing is.
  add column repair text,
  -- When an indexer noticed the last restore.
  add column restored_at timestamptz(3);
