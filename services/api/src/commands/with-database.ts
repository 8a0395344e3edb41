import { EXIT, type Failure } from '@ugc/shared/cli/command';
import { readEnv, storeEnv } from '@ugc/shared/config/env';
import { errorMessage } from '@ugc/shared/process/error-message';
import { connectPostgres, type Database } from '@ugc/shared/postgres/postgres';
import { describePostgresFailure, StoreFailure } from '@ugc/shared/failures/describe';

type Options = { url?: string; applicationName: string; maxConnections?: number; statementTimeoutMs: number };

/** The exit codes of a command that needs nothing but PostgreSQL. */
export const DATABASE_EXIT_CODES = {
  [EXIT.usage]: 'the arguments are wrong',
  [EXIT.tryAgain]: 'PostgreSQL does not respond; try again',
  78: 'a variable is wrong',
};

/** @throws ConfigurationError */
export function readDatabaseUrl(): string {
  return readEnv(storeEnv.pick({ DATABASE_URL: true })).DATABASE_URL;
}

/** Connects to DATABASE_URL for the time of `run`. @returns its result @throws StoreFailure if PostgreSQL is the reason */
export async function withDatabase<T>(
  { url = readDatabaseUrl(), maxConnections = 1, ...options }: Options,
  run: (database: Database, url: string) => Promise<T>,
): Promise<T> {
  const database = connectPostgres({ url, maxConnections, ...options, onIdleError: () => undefined });
  try {
    return await run(database, url);
  } catch (error) {
    throw describePostgresFailure(error, url) ?? error;
  } finally {
    await database.close();
  }
}

/** For `runCommand`, of a command whose exit codes tell whether the same command may succeed later. */
export function failureOf(error: unknown): Failure {
  const mayPass = error instanceof StoreFailure && error.mayPass;
  return { message: errorMessage(error), exitCode: mayPass ? EXIT.tryAgain : EXIT.badResult };
}
