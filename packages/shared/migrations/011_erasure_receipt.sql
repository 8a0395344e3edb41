-- The receipts of erasures, for 30 days: nobody may have read what the command has printed.
create table erasure_receipt (
  -- The user has no row any more.
  user_id bigint not null,
  completed_at timestamptz(3) not null,
  -- As it was printed, with the SHA-256 of the credential. Text, so that the order of its members stays.
  receipt json not null,
  primary key (user_id, completed_at)
);
