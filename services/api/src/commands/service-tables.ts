import type { Database } from '@ugc/shared/postgres/postgres';
import { BackupError } from './postgres-programs.ts';

/** All tables of the migrations. */
export const SERVICE_TABLES = (
  'blocked_user content content_thumbnail embedding embedding_model embedding_work external_item hidden_content idempotency_key index_ahead index_comparison ' +
  'index_control index_dropped index_lock index_outbox index_target rating rename_progress schema_migration search_insight search_insight_user user_erasure users'
).split(' ');

/** @returns the tables of the service that the database holds */
export async function presentTables({ query }: Pick<Database, 'query'>): Promise<string[]> {
  const rows = await query<{ name: string }>(`select name from unnest($1::text[]) name where to_regclass(quote_ident(name)) is not null`, [
    SERVICE_TABLES,
  ]);
  return rows.map(({ name }) => name);
}

/** @throws BackupError if the database holds none of the tables that are backed up */
export async function requireTables(database: Pick<Database, 'query'>): Promise<void> {
  if ((await presentTables(database)).includes('content')) return;
  throw new BackupError('The database at DATABASE_URL does not hold the tables of this service.');
}
