import { runner } from 'node-pg-migrate';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** An advisory lock serializes concurrent calls. @returns the names of the applied migrations */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client(databaseUrl);
  // Without a listener, a connection that is lost would end the process; the next query rejects anyway.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const applied = await runner({
      dbClient: client,
      dir: fileURLToPath(new URL('../../migrations', import.meta.url)),
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
