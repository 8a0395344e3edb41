import { runner } from 'node-pg-migrate';
import { fileURLToPath } from 'node:url';

/**
 * Brings the schema up to date. Safe when several processes start at once: all but the first wait for its advisory lock.
 * @returns the names of the migrations that were applied, none when there was nothing to do
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const applied = await runner({
    databaseUrl,
    dir: fileURLToPath(new URL('../../migrations', import.meta.url)),
    migrationsTable: 'schema_migration',
    direction: 'up',
    advisoryLockMode: 'wait',
    checkOrder: true,
    log: () => undefined,
  });
  return applied.map((migration) => migration.name);
}
