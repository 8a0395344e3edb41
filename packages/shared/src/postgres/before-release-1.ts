// A database of the last commit before 1.0.0 becomes one of 1.0.0 by STEPS. Every other one of before is refused.

export const RELEASE_1 = '001_release_1';

/** The migrations of the last commit before 1.0.0. */
const LAST = [
  '001_schema',
  '002_composed_texts',
  '005_collations',
  '006_hidden_content',
  '007_blocked_user',
  '008_external_item',
  '009_file_name',
  '010_erased_users',
  '011_erasure_receipt',
  '012_blocks_of_linked_users',
  '013_blocks_of_erased_users',
  '014_imported_downloads',
  '015_backup',
  '016_audited',
];

/** A commit with these migrations, which brings every earlier database forward. */
const BRINGS_FORWARD = '1ad3baddf3cb35d053e646a72903047a6d9f60f4';

const REFUSAL =
  `The database has the schema of a commit before 1.0.0. Check out the commit ${BRINGS_FORWARD}, which brings it forward: run its ` +
  'services/api/src/commands/migrate.ts, and then that of this release.';

/** @param applied the names in `schema_migration` @returns why this release does not use such a database, and what to do */
export function refusalOf(applied: string[]): string | undefined {
  return applied.length === 0 || applied.includes(RELEASE_1) || isLast(applied) ? undefined : REFUSAL;
}

export function isLast(applied: string[]): boolean {
  return String(applied.toSorted()) === String(LAST);
}

/** Fails in a database that is refused. */
export const REFUSE_EARLIER = `do $$ begin
  if not exists (select from schema_migration where name = '${RELEASE_1}')
    and (select array_agg(name::text order by name) from schema_migration) <> '{${LAST.join()}}' then raise '${REFUSAL}'; end if;
end $$`;

/**
 * Each is a transaction that locks one table, and may be repeated. The constraints have the collation of the database, beside
 * indices with the order of bytes, for processes that knew only them. Reading the items for a constraint holds up nobody.
 */
export const STEPS = [
  'alter table content validate constraint content_file_name_check',
  'alter table users drop constraint if exists users_credential_key',
  `alter table idempotency_key drop constraint if exists idempotency_key_pkey, replica identity using index idempotency_key_bytes`,
  `with earlier as (delete from schema_migration) insert into schema_migration (name, run_on) values ('${RELEASE_1}', now())`,
];
