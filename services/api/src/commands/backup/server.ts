import type { Database } from '@ugc/shared/stores/postgres';
import { BackupError } from './postgres-tools.ts';

/** @returns for example 18 */
export async function readServerVersion({ query }: Pick<Database, 'query'>): Promise<number> {
  const [row] = await query<{ major: number }>(`select current_setting('server_version_num')::integer / 10000 as major`);
  return row?.major ?? NaN;
}

/** @throws BackupError if the database holds none of the tables that are backed up */
export function requireTables(present: string[]): void {
  if (!present.includes('content')) throw new BackupError('The database at DATABASE_URL does not hold the tables of this service.');
}
