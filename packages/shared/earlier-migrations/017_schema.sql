-- Up Migration

alter table index_lock drop column advisory;
alter table index_control rename constraint index_generation_pkey to index_control_pkey;
alter table index_control rename constraint index_generation_singleton_check to index_control_singleton_check;
