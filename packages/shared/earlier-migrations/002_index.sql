-- Up Migration

-- One row for each item whose newest revision Elasticsearch has not accepted yet. There is no foreign key: a transaction that
-- updates a row twice would check it, by a lock on the content row, and deadlock with an edit that holds that and waits for this.
create table index_outbox (
  content_id bigint primary key,
  revision bigint not null,
  pending_since timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default clock_timestamp(),
  job_id uuid,
  claimed_at timestamptz,
  -- How often the row was claimed without an answer; what kills a process is found by it.
  claims integer not null default 0,
  rejected_reason text,
  check ((job_id is null) = (claimed_at is null)),
  check (rejected_reason is null or job_id is null)
);

create index index_outbox_due on index_outbox (due_at) where job_id is null and rejected_reason is null;
create index index_outbox_claimed on index_outbox (job_id, claimed_at) where job_id is not null;
create index index_outbox_rejected on index_outbox (content_id) where rejected_reason is not null;

-- The concrete indices that every change is written to.
create table index_target (
  index_name text primary key,
  role text not null unique deferrable initially deferred check (role in ('search', 'next', 'previous')),
  -- Why this index refused a document; from then on it is written no more.
  rejected_reason text,
  check (role <> 'search' or rejected_reason is null)
);

-- Raised by every change of index_target; an acknowledgement counts only in the generation it was read in.
create table index_generation (
  singleton boolean primary key default true check (singleton),
  generation bigint not null default 0
);

insert into index_generation default values;
