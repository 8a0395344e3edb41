-- What its creator does not show, or not yet: a draft, an unlisted item, or one that waits for a review. As that of a hidden
-- item, its `content.deleted_at` is 'infinity', which ends only when neither this table nor `hidden_content` has a row.
create table unpublished_content (
  content_id bigint primary key references content on delete cascade,
  -- That of the item.
  creator_id bigint not null,
  kind text not null check (kind in ('draft', 'unlisted', 'review')),
  -- Since when it is of this kind; for a review, when it was last asked for.
  since timestamptz(3) not null default clock_timestamp(),
  -- When it becomes public; null if only its creator decides.
  publish_at timestamptz(3) check (publish_at < 'infinity'),
  -- Whether the token that has asked for `publish_at` may publish without a review.
  may_publish boolean not null default false,
  -- An item that never was public has no document: nothing of it is in the outbox and in the index.
  was_public boolean not null default false,
  -- Whoever knows it reads an unlisted item.
  access_key text check (char_length(access_key) between 16 and 100),
  -- Whether an item in review becomes unlisted, and not public.
  wants_unlisted boolean not null default false,
  -- Why, and when, a moderator has refused to publish it; the next edit asks again.
  refused_at timestamptz(3),
  refused_reason text check (char_length(refused_reason) between 1 and 1000),
  check ((kind = 'unlisted') = (access_key is not null)),
  check (kind = 'review' or not wants_unlisted),
  check (kind = 'review' or refused_at is null),
  check ((refused_at is null) = (refused_reason is null))
);

create index unpublished_content_due on unpublished_content (publish_at) where publish_at is not null and kind <> 'review';
create index unpublished_content_review on unpublished_content (since, content_id) where kind = 'review' and refused_at is null;
create index unpublished_content_creator on unpublished_content (creator_id, since, content_id) where kind = 'review';

-- A process of an earlier release shows a hidden item without asking for this table, and deletes one without removing the row.
create function keep_unpublished() returns trigger language plpgsql as $$
begin
  if new.deleted_at is not null then
    delete from unpublished_content where content_id = new.content_id;
  elsif exists (select from unpublished_content where content_id = new.content_id) then
    new.deleted_at := 'infinity';
  end if;
  return new;
end
$$;

create trigger keep_unpublished before update of deleted_at on content
  for each row when (old.deleted_at = 'infinity' and new.deleted_at is distinct from old.deleted_at) execute function keep_unpublished();
