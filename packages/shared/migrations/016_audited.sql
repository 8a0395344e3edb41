-- When the last complete audit with a repair has ended. What it found ahead is forgotten when its rows have left the outbox.
alter table index_ahead add column audited_at timestamptz;
