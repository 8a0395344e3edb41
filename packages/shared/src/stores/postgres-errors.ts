import pg from 'pg';

/** PostgreSQL is unreachable, timed out, or cannot process any statement. The statement itself is not at fault. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** The connection was lost during the commit. This affects only its own request. */
export class CommitUnknown extends DatabaseUnavailable {}

export function isDatabaseOutage(error: unknown): error is DatabaseUnavailable {
  return error instanceof DatabaseUnavailable && !(error instanceof CommitUnknown);
}

// SQLSTATE classes that concern the server and not the statement (PostgreSQL manual, appendix A).
const UNAVAILABLE_CLASSES = new Set(['08', '40', '53', '57', '58']);
const READ_ONLY_SQL_TRANSACTION = '25006';

export function classifyError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return new DatabaseUnavailable('PostgreSQL is unreachable', { cause: error });
  const code = error.code ?? '';
  if (!UNAVAILABLE_CLASSES.has(code.slice(0, 2)) && code !== READ_ONLY_SQL_TRANSACTION) return error;
  return new DatabaseUnavailable(`PostgreSQL is unavailable (SQLSTATE ${code})`, { cause: error });
}

/** Without a response, or in a shutdown (57P…), the transaction may have been committed. @throws CommitUnknown */
export function throwCommitError(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable)) throw error;
  if (error.cause instanceof pg.DatabaseError && !error.cause.code?.startsWith('57P')) throw error;
  throw new CommitUnknown('the connection was lost during the commit', { cause: error });
}
