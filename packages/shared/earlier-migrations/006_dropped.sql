-- Up Migration

-- Rejected changes that an operator has dropped. A row counts only while the item still has this revision and no row in
-- index_outbox, so that the item's next change ends it, whichever release makes that change.
create table index_dropped (
  content_id bigint primary key,
  revision bigint not null,
  reason text not null,
  dropped_at timestamptz not null default clock_timestamp()
);
