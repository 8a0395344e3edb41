import { runner } from 'node-pg-migrate';
import { fileURLToPath } from 'node:url';

/** An advisory lock serializes concurrent calls. @returns the names of the applied migrations */
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
