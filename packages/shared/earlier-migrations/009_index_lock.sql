-- Up Migration

-- One row for each lock that a process holds. The token is new each time the lock is taken: a holder that was suspended
-- and has lost the lock finds another token, or none. A lock that is not renewed expires.
create table index_lock (
  name text primary key,
  token uuid not null,
  -- The process, for operators.
  holder text,
  expires_at timestamptz not null,
  -- Whether the holder also has PostgreSQL's advisory lock. If that is free, this holder has ended.
  advisory boolean not null default false
);
