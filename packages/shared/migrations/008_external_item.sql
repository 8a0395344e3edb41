-- The items that an import has stored. A row outlives its item, so that an import never brings a removed item back.

create table external_item (
  external_id text collate "C" primary key check (char_length(external_id) between 1 and 200),
  content_id bigint not null,
  -- SHA-256 of the line that was imported last.
  line_hash bytea not null check (octet_length(line_hash) = 32)
);

create index external_item_content on external_item (content_id);
