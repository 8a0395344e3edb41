-- Up Migration

-- Items that the index had in a newer state than PostgreSQL, as after a restore of PostgreSQL: one row. A complete
-- comparison that begins after `first_seen_at` finds and repairs all of them, and sets the count to 0.
create table index_ahead (
  singleton boolean primary key default true check (singleton),
  items bigint not null default 0,
  first_seen_at timestamptz,
  last_seen_at timestamptz
);

insert into index_ahead default values;

-- The comparison of PostgreSQL and the searched index, a range of ids at a time: one row.
create table index_comparison (
  singleton boolean primary key default true check (singleton),
  -- One indexer compares. If it does not renew its claim, another one continues.
  claimed_by uuid,
  claimed_until timestamptz,
  -- When the next range is due.
  due_at timestamptz not null default clock_timestamp(),
  -- The current round: null between two rounds.
  started_at timestamptz,
  -- How many items the round has to compare, and up to which id it has compared them.
  items bigint not null default 0,
  compared_to bigint not null default 0,
  -- The differences that the current round has found, by kind, and how many of them it has put into the outbox.
  differences jsonb not null default '{}',
  repaired bigint not null default 0,
  -- The last complete round: {startedAt, completedAt, differences, repaired}
  last_round jsonb
);

insert into index_comparison default values;
