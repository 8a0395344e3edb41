-- A hidden item is a tombstone that keeps its texts: its `content.deleted_at` is 'infinity', so that everything that knows
-- nothing of hiding treats it as deleted, and never purges it.
create table hidden_content (
  content_id bigint primary key references content on delete cascade,
  -- That of the item, for the lists of one creator.
  creator_id bigint not null,
  hidden_at timestamptz(3) not null default clock_timestamp(),
  -- The id of the moderator, or the credential of a token whose account is no user. Null after the user was erased.
  hidden_by text check (char_length(hidden_by) between 1 and 1000),
  reason text not null check (char_length(reason) between 1 and 1000),
  -- Whether an operator has hidden it by blocking the creator.
  by_block boolean not null default false
);

create index hidden_content_newest on hidden_content (hidden_at, content_id);
create index hidden_content_creator on hidden_content (creator_id, hidden_at, content_id);
