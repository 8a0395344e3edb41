-- Who counts: `downloads_count` has every download. These are the ones among them that are not the first of a user on a day, or
-- are those of the creator; what existed before counts completely. A process of an earlier release counts all of its downloads.
alter table content add column other_downloads bigint not null default 0;
alter table content add column latest_other_downloads bigint not null default 0;

-- What is popular now: the logarithm of the sum of e^((time of an event - 2026-01-01) / (a day, a week)). Null without events.
-- Neither of the four columns may have an index: a download would then write every index of the item.
alter table content add column heat_day double precision;
alter table content add column heat_week double precision;

comment on column content.other_downloads is 'Of downloads_count. Downloads by users are the difference, which is not negative.';

-- A process of an earlier release changes only the columns that it knows when an item gets another version, or is deleted.
create function begin_popularity_again() returns trigger language plpgsql as $$
begin
  new.latest_other_downloads := 0;
  if new.deleted_at < 'infinity' then
    new.other_downloads := 0;
    new.heat_day := null;
    new.heat_week := null;
  end if;
  return new;
end
$$;

create trigger begin_popularity_again before update of version, deleted_at on content
  for each row when (new.version <> old.version or new.deleted_at < 'infinity') execute function begin_popularity_again();
