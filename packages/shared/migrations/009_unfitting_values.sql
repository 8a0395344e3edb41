-- How many items have a value that does not fit the definition, and when they were counted: by the command that applied it.
-- Null if nobody has counted.
alter table declared_field add column unfitting bigint;
alter table declared_field add column counted_at timestamptz(3);
