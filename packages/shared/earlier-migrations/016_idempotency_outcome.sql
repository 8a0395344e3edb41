-- Up Migration

-- Outcomes have the names of fields instead of columns. A row lives for a day, so those with the other names are deleted.
delete from idempotency_key where outcome is not null;
