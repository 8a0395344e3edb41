import type { Database } from './postgres.ts';

// Processes are known to PostgreSQL by their `application_name`. Since 1.1 the names have that number.

export type ProcessName = 'ugc-api' | 'ugc-indexer' | 'ugc-import' | 'ugc-export';
const NAMES: ProcessName[] = ['ugc-api', 'ugc-indexer', 'ugc-import', 'ugc-export'];

export function processName(name: ProcessName): string {
  return `${name} 1.1`;
}

/**
 * Whether a process of 1.0.0 is connected to the database. One whose DATABASE_URL names it otherwise is not seen, and behind
 * a connection pooler one may be seen for as long as its session lasts.
 */
export async function seesEarlierProcess({ query }: Pick<Database, 'query'>): Promise<boolean> {
  const statement = {
    name: 'earlier-processes',
    text: `select from pg_stat_activity where datname = current_database() and application_name = any($1::text[]) limit 1`,
  };
  return (await query(statement, [NAMES])).length > 0;
}
