import { EXIT, type Failure } from '@ugc/shared/cli/command';
import { errorMessage } from '@ugc/shared/process/log';
import { connectPostgres, type Database } from '@ugc/shared/postgres/postgres';
import { describePostgresFailure, StoreFailure } from '@ugc/shared/failures/describe';

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

/** For `runCommand`, of a command whose exit codes tell whether the same command may succeed later. */
export function failureOf(error: unknown): Failure {
  const mayPass = error instanceof StoreFailure && error.mayPass;
  return { message: errorMessage(error), exitCode: mayPass ? EXIT.tryAgain : EXIT.badResult };
}
