import type { Log } from '../process/log.ts';
import { missingMigrations } from './missing-migrations.ts';
import type { Database } from './postgres.ts';
import { OUTDATED } from './postgres-errors.ts';

/** @returns a function that returns the missing migrations, and logs when they change */
export function createSchemaCheck({ database, log }: { database: Database; log: Log }): () => Promise<string[]> {
  let logged = '';
  return async () => {
    const missing = await missingMigrations(database);
    if (String(missing) === logged) return missing;
    logged = String(missing);
    if (missing.length > 0) log.error({ missingMigrations: missing }, OUTDATED);
    else log.info('the schema of PostgreSQL is up to date');
    return missing;
  };
}
