import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { MIGRATIONS } from './missing-migrations.ts';
import { throwConnectError } from './postgres-errors.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * An advisory lock of the session serializes concurrent calls, so this needs a connection without a pooler.
 * @returns the names of the applied migrations @throws DatabaseUnavailable if no connection is made
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // Without a listener, a connection that is lost would end the process; the next query rejects anyway.
  client.on('error', () => undefined);
  await client.connect().catch(throwConnectError);
  try {
    if (await isNew(client)) await assertUtf8(client);
    const applied = await runner({
      dbClient: client,
      dir: MIGRATIONS,
      migrationsTable: 'schema_migration',
      direction: 'up',
      advisoryLockMode: 'wait',
      checkOrder: true,
      log: () => undefined,
    });
    return applied.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

async function isNew(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isNew: boolean }>(`select to_regclass('schema_migration') is null as "isNew"`);
  return rows[0]?.isNew ?? true;
}

/** In another encoding, PostgreSQL cannot store every text, or counts and compares bytes instead of characters. */
async function assertUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; encoding: string }>(
    `select datname as name, pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()`,
  );
  const [{ name, encoding } = { name: '', encoding: '' }] = rows;
  if (encoding === 'UTF8') return;
  throw new Error(
    `the database "${name}" has the encoding ${encoding} and must have UTF8; create another one with: create database NAME encoding 'UTF8' template template0`,
  );
}
