import type { Database } from '@ugc/shared/stores/postgres';

/** All tables of the migrations. */
export const SERVICE_TABLES = [
  'content',
  'content_thumbnail',
  'embedding',
  'embedding_model',
  'embedding_work',
  'idempotency_key',
  'index_ahead',
  'index_comparison',
  'index_control',
  'index_dropped',
  'index_lock',
  'index_outbox',
  'index_target',
  'rating',
  'rename_progress',
  'schema_migration',
  'search_insight',
  'search_insight_user',
  'users',
];

const LOCK_TIMEOUT = '30s';

/** @returns the tables of the service that the database holds */
export async function presentTables({ query }: Pick<Database, 'query'>): Promise<string[]> {
  const rows = await query<{ name: string }>(`select name from unnest($1::text[]) name where to_regclass(quote_ident(name)) is not null`, [
    SERVICE_TABLES,
  ]);
  return rows.map(({ name }) => name);
}

/** Other objects of the database stay. One that depends on a table of the service is an error, and nothing is removed. */
export async function removeTables(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await tx.query(`drop table if exists ${SERVICE_TABLES.join(', ')}`);
    await tx.query('drop function if exists database_identity()');
  });
}
