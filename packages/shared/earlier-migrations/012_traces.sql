-- Up Migration

-- The trace of the newest change of an item, as in the header `traceparent` of W3C Trace Context; null without one.
-- A change that a process of the previous release makes keeps both columns.
alter table index_outbox add column traceparent text;
-- When the newest change was made. Rows from before this migration have none. The default is set apart from the column,
-- so that PostgreSQL does not rewrite the table.
alter table index_outbox add column changed_at timestamptz;
alter table index_outbox alter column changed_at set default clock_timestamp();
