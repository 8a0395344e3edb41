/**
 * An index is in the order of a collation of the operating system, which another image of PostgreSQL may sort in another
 * way: rows are then not found. Texts that are only compared have the order of their bytes. The constraints with the
 * collation of the database stay for the previous release.
 */
export function up(pgm) {
  pgm.noTransaction();
  pgm.sql('create unique index concurrently if not exists users_credential_bytes on users (credential collate "C")');
  pgm.sql('create unique index concurrently if not exists idempotency_key_bytes on idempotency_key (user_id, key collate "C")');
}
