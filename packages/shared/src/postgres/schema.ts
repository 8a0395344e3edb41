import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from './postgres.ts';
import { SchemaOutdated, OUTDATED, sqlStateOf } from './errors.ts';
import type { Log } from '../process/log.ts';

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
/** What a database of a commit before 1.0.0 was migrated with. To be deleted with the release 1.1. */
export const EARLIER_MIGRATIONS = fileURLToPath(new URL('../../earlier-migrations', import.meta.url));

const names = readdirSync(MIGRATIONS)
  .map((file) => parse(file).name)
  .toSorted();

const INSUFFICIENT_PRIVILEGE = '42501';

/** @returns the migrations of this release that the schema lacks; none if it is newer */
export async function missingMigrations(database: Pick<Database, 'query'>): Promise<string[]> {
  const applied = new Set(await appliedMigrations(database));
  return names.filter((name) => !applied.has(name));
}

async function appliedMigrations({ query }: Pick<Database, 'query'>): Promise<string[]> {
  try {
    return (await query<{ name: string }>('select name from schema_migration')).map((row) => row.name);
  } catch (error) {
    if (error instanceof SchemaOutdated) return [];
    // A role may be restricted to the tables that it needs.
    if (sqlStateOf(error) === INSUFFICIENT_PRIVILEGE) return names;
    throw error;
  }
}

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
