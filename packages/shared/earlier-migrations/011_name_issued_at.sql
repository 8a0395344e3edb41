-- Up Migration

-- When the token was issued from which the service took the user's name (USERS_FROM_TOKENS); null for other users.
alter table users add column name_issued_at timestamptz;
