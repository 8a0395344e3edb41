-- The values of the fields that an operator declares, by the name of the field.
alter table content add column fields jsonb not null default '{}';

-- The next migration validates it: that reads all items, and holds up nobody.
alter table content add constraint content_fields_check
  check (jsonb_typeof(fields) = 'object' and octet_length(fields::text) <= 32768) not valid;

-- A process of an earlier release empties only the columns that it knows when it deletes an item. A hidden item, which is
-- deleted at infinity, keeps its values.
create function empty_fields() returns trigger language plpgsql as $$
begin
  new.fields := '{}';
  return new;
end
$$;

create trigger empty_fields before update of deleted_at on content
  for each row when (new.deleted_at < 'infinity' and new.fields <> '{}') execute function empty_fields();

-- The fields that an operator has declared. A row of a field that was removed stays, so that it is known.
create table declared_field (
  name text collate "C" primary key check (name ~ '^[a-z][A-Za-z0-9]{0,39}$'),
  -- In the order of the file.
  position integer not null,
  -- With all defaults.
  definition jsonb not null,
  removed_at timestamptz(3)
);

-- The definitions by which the documents of the index are made, in their order: an array of objects with `name`. They never change.
alter table index_target add column fields jsonb not null default '[]';
