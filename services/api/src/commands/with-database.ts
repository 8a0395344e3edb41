import { connectPostgres, type Database } from '@ugc/shared/stores/postgres';

type Options = { url: string; applicationName: string; maxConnections: number; statementTimeoutMs: number };

/** Connects for the time of `run`. */
export async function withDatabase(options: Options, run: (database: Database) => Promise<void>): Promise<void> {
  const database = connectPostgres({ ...options, onIdleError: () => undefined });
  try {
    await run(database);
  } finally {
    await database.close();
  }
}
