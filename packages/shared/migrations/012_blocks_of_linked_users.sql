-- A block belongs to every credential that its user has had while it lasts, so a user may have several rows.
alter table blocked_user drop constraint blocked_user_user_id_key;
