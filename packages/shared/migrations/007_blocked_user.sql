-- Users whose writes an operator refuses. The hash outlives the user, so that a new user of the same account is blocked too.
create table blocked_user (
  -- SHA-256 of the credential.
  credential_hash bytea primary key check (octet_length(credential_hash) = 32),
  -- Null after the user was erased.
  user_id bigint unique,
  blocked_at timestamptz(3) not null default clock_timestamp(),
  -- For operators.
  reason text check (char_length(reason) between 1 and 1000)
);
