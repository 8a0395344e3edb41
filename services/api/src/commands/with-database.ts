import { connectPostgres, type Database } from '@ugc/shared/stores/postgres';
import { describePostgresFailure } from '@ugc/shared/stores/postgres-failure';

type Options = { url: string; applicationName: string; maxConnections: number; statementTimeoutMs: number };

/** Connects for the time of `run`. @throws StoreFailure if PostgreSQL is the reason */
export async function withDatabase(options: Options, run: (database: Database) => Promise<void>): Promise<void> {
  const database = connectPostgres({ ...options, onIdleError: () => undefined });
  try {
    await run(database);
  } catch (error) {
    throw describePostgresFailure(error, options.url) ?? error;
  } finally {
    await database.close();
  }
}
