-- Up Migration

-- The command `migrate` brings stored names and tags to this form before it applies this migration.
comment on column content.name is 'In normalization form NFC.';
comment on column content.tags is 'In normalization form NFC, each once.';
