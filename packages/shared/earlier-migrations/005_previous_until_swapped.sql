-- Up Migration

-- A rebuild keeps the way back that there was until its own is there: for a moment there are two previous indices.
alter table index_target drop constraint index_target_role_key;
create unique index index_target_role on index_target (role) where role <> 'previous';
