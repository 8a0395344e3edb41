/** What `npx pnpm users erase` needs: the ratings of a user without reading those of all, and what a stopped erasure has removed. */
export function up(pgm) {
  pgm.noTransaction();
  pgm.sql('create index concurrently if not exists rating_user on rating (user_id, content_id)');
  pgm.sql(`
    -- One row for each erasure, from its start until its receipt is printed.
    create table if not exists user_erasure (
      -- The user may have been removed.
      user_id bigint primary key,
      -- SHA-256 of the credential.
      credential_hash bytea not null check (octet_length(credential_hash) = 32),
      started_at timestamptz(3) not null default clock_timestamp(),
      -- What was removed of the user; external_ids stay, so that no import brings an item back.
      items bigint not null default 0,
      ratings bigint not null default 0,
      idempotency_keys bigint not null default 0,
      hidings bigint not null default 0,
      external_ids bigint not null default 0
    )`);
}
