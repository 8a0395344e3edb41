-- Up Migration

-- How often a process has begun to write the batch after `filled_to` without an answer; what kills a process is found by it.
alter table index_target add column fill_attempts integer not null default 0;
