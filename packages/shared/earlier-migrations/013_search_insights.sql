-- Up Migration

-- Prompts for which nothing was found or that were corrected (SEARCH_INSIGHTS), by day in UTC. The key of the hashes is
-- not in the database. A row has the text of the prompt only if at least five users have sent it on that day.
create table search_insight (
  day date not null,
  prompt_hash bytea not null check (octet_length(prompt_hash) = 16),
  users integer not null check (users >= 0),
  nothing_found integer not null default 0 check (nothing_found >= 0),
  corrected integer not null default 0 check (corrected >= 0),
  -- In whole hours, so that it leads to no line of a log.
  last_at timestamptz not null,
  prompt text check (char_length(prompt) between 1 and 100),
  -- What was searched for instead of the newest prompt that was corrected.
  correction text check (char_length(correction) <= 1100),
  primary key (day, prompt_hash),
  check (users >= 5 or (prompt is null and correction is null))
);

create index search_insight_without_prompt on search_insight (day) where prompt is null;

-- Who has sent a prompt of this day. The hash of a user differs from prompt to prompt.
create table search_insight_user (
  day date not null,
  prompt_hash bytea not null check (octet_length(prompt_hash) = 16),
  user_hash bytea not null check (octet_length(user_hash) = 16),
  primary key (day, prompt_hash, user_hash)
);
