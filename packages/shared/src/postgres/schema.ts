import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusalOf } from './before-release-1.ts';
import type { Database } from './postgres.ts';
import { SchemaOutdated, OUTDATED, sqlStateOf } from './errors.ts';
import type { Log } from '../process/log.ts';

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

const names = readdirSync(MIGRATIONS)
  .map((file) => parse(file).name)
  .toSorted();

const INSUFFICIENT_PRIVILEGE = '42501';

/** @returns the migrations of this release that the schema lacks; none if it is newer */
export async function missingMigrations(database: Pick<Database, 'query'>): Promise<string[]> {
  return missingOf(await appliedMigrations(database));
}

function missingOf(applied: string[]): string[] {
  return names.filter((name) => !applied.includes(name));
}

export async function appliedMigrations({ query }: Pick<Database, 'query'>): Promise<string[]> {
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
    const applied = await appliedMigrations(database);
    const missing = missingOf(applied);
    if (String(missing) === logged) return missing;
    logged = String(missing);
    if (missing.length > 0) log.error({ missingMigrations: missing, reason: refusalOf(applied) }, OUTDATED);
    else log.info('the schema of PostgreSQL is up to date');
    return missing;
  };
}
