-- The downloads that an import has stored for the item: more of them were counted here. Null for rows before this column.
alter table external_item add column downloads_count bigint;
