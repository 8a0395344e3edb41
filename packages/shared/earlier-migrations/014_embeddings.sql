-- Up Migration

-- The models that items were embedded with: at most one is searched, and at most one is being filled.
create table embedding_model (
  generation integer generated always as identity primary key,
  model text not null,
  -- Of its vectors; null if the service decides.
  dimensions integer,
  query_prefix text not null,
  text_prefix text not null,
  -- `previous`: another model is searched, and the vectors of this one are removed.
  state text not null default 'next' check (state in ('next', 'search', 'previous')),
  state_since timestamptz not null default clock_timestamp(),
  -- When an indexer last worked with it.
  used_at timestamptz not null default clock_timestamp(),
  -- The walk in the order of the ids that finds items without a vector: up to which id, and how many it has found. For a
  -- previous model, that which removes its vectors.
  walked_to bigint not null default 0,
  walk_found bigint not null default 0,
  walk_began_at timestamptz not null default clock_timestamp(),
  -- When the next step is due.
  walk_due_at timestamptz not null default clock_timestamp()
);

create unique index embedding_model_state on embedding_model (state) where state <> 'previous';

create table embedding (
  content_id bigint not null references content on delete cascade,
  generation integer not null references embedding_model on delete cascade,
  -- Of name, tags and description.
  text_hash bytea not null,
  -- A signed byte for each dimension; null if the service refuses the text.
  vector bytea,
  refused_reason text,
  primary key (content_id, generation)
);

create index embedding_generation on embedding (generation);
create index embedding_refused on embedding (generation) where vector is null;

-- The items whose text has to be embedded.
create table embedding_work (
  content_id bigint primary key references content on delete cascade,
  added_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default clock_timestamp(),
  -- How many times the service has failed for this text alone.
  attempts integer not null default 0
);

create index embedding_work_due on embedding_work (due_at, content_id);
