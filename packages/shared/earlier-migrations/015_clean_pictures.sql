-- Up Migration

-- The command `migrate` removes the metadata of stored pictures before it applies this migration. Meanwhile, a comment of
-- the table has its progress.
comment on table content_thumbnail is null;
comment on column content_thumbnail.bytes is 'As the picture is served: without metadata but orientation and colours.';
