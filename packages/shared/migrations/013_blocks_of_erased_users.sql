-- The hashes of the credentials whose block outlives the user, for the receipt.
alter table user_erasure add column blocked_hashes bytea[] not null default '{}';
