-- Up Migration

-- A deleted item stays as a tombstone for some days, without anything that was in it: its document has to stay newer than
-- every change that may still be under way.
alter table content
  add column edits bigint not null default 0,
  add column deleted_at timestamptz(3),
  drop constraint content_name_check,
  add constraint content_name_check check (char_length(name) between 1 and 1000 or (deleted_at is not null and name = ''));

create index content_deleted on content (deleted_at) where deleted_at is not null;

-- The newest revision that the index took while a newer one was waiting; null until then.
alter table index_outbox add column indexed_revision bigint;

create table rating (
  content_id bigint not null references content on delete cascade,
  user_id bigint not null references users,
  score smallint not null check (score between 1 and 5),
  primary key (content_id, user_id)
);

create table idempotency_key (
  user_id bigint not null,
  key text not null check (char_length(key) between 1 and 255),
  request_hash bytea not null,
  -- Set in the same transaction as the row: what the database added to the request. The rest of an answer is in the repetition.
  outcome jsonb,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);

create index idempotency_key_created on idempotency_key (created_at);

-- How far a user's new name has been carried into the outbox.
create table rename_progress (
  user_id bigint primary key references users,
  after_content_id bigint not null default 0
);
