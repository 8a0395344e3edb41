import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';

/** PostgreSQL is unreachable, timed out, or cannot process any statement. The statement itself is not at fault. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** The connection was lost during the commit. This affects only its own request. */
export class CommitUnknown extends DatabaseUnavailable {}

/** A prepared statement is no longer valid, and was not executed: a migration has changed a type, or the session another. */
class StaleStatement extends DatabaseUnavailable {}

/** A table or column is missing that this code needs: usually a migration is missing. */
export class SchemaOutdated extends Error {
  override readonly name = 'SchemaOutdated';
}

/** A text has a character that the database cannot store, because its encoding is not UTF8. */
export class UnstorableText extends Error {
  override readonly name = 'UnstorableText';
}

export function isDatabaseOutage(error: unknown): error is DatabaseUnavailable {
  return error instanceof DatabaseUnavailable && !(error instanceof CommitUnknown);
}

// SQLSTATE classes that concern the server and not the statement (PostgreSQL manual, appendix A).
const UNAVAILABLE_CLASSES = new Set(['08', '40', '53', '57', '58', 'F0', 'XX']);
// A read-only database, a lock timeout, a missing privilege, a sequence that is used up.
/** A standby, `default_transaction_read_only`, or a transaction that may only read. */
export const READ_ONLY = '25006';
const UNAVAILABLE = new Set([READ_ONLY, '55P03', '42501', '2200H']);
/** No transaction ids are left. A row that is too large for an index has the same code. */
const LIMIT_EXCEEDED = '54000';
const OF_AN_INDEX = /^(_bt_|_hash_|index_form|gin|brin)/i;
const SERIALIZATION_FAILURE = '40001';
// "cached plan must not change result type", and a prepared statement that is missing or that another client has made.
const STALE_STATEMENT = new Set(['0A000', '26000', '42P05']);
// An undefined column, table, function or schema, and a unique index that `on conflict` needs.
const SCHEMA_OUTDATED = new Set(['42703', '42P01', '42883', '3F000', '42P10']);

const UNSTORABLE_TEXT = new Set(['22P05', '22021']);

export const OUTDATED = 'the schema of PostgreSQL is older than this release; run node services/api/src/commands/migrate.ts';

/** @returns an error of this file that names the cause; the error itself if the statement is at fault */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  if (!(error instanceof pg.DatabaseError)) return new DatabaseUnavailable('PostgreSQL is unreachable', { cause: error });
  const code = error.code ?? '';
  if (UNSTORABLE_TEXT.has(code)) return new UnstorableText('the database must have the encoding UTF8', { cause: error });
  if (STALE_STATEMENT.has(code)) return new StaleStatement('a prepared statement of PostgreSQL is no longer valid', { cause: error });
  if (SCHEMA_OUTDATED.has(code)) return new SchemaOutdated(`${OUTDATED} (SQLSTATE ${code})`, { cause: error });
  if (!isOfServer(code, error)) return error;
  return new DatabaseUnavailable(`PostgreSQL is unavailable (SQLSTATE ${code})`, { cause: error });
}

function isOfServer(code: string, { routine = '' }: pg.DatabaseError): boolean {
  if (code === LIMIT_EXCEEDED) return !OF_AN_INDEX.test(routine);
  return UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || UNAVAILABLE.has(code);
}

/** @returns the SQLSTATE of a response of PostgreSQL; undefined without one */
export function sqlStateOf(error: unknown): string | undefined {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

/** @returns the name of the constraint that a statement violates */
export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/** Whatever the reason, without a connection nothing can be stored. @throws DatabaseUnavailable */
export function throwConnectError(error: unknown): never {
  if (error instanceof DatabaseUnavailable) throw error;
  const reason = error instanceof pg.DatabaseError ? `: ${error.message} (SQLSTATE ${error.code})` : '';
  throw new DatabaseUnavailable(`no connection to PostgreSQL${reason}`, { cause: error });
}

/** Without a response, or in a shutdown (57P…), the transaction may have been committed. @throws CommitUnknown */
export function throwCommitError(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable)) throw error;
  if (error.cause instanceof pg.DatabaseError && !error.cause.code?.startsWith('57P')) throw error;
  throw new CommitUnknown('the connection was lost during the commit', { cause: error });
}

/** Another transaction was in conflict with this one, which was rolled back. */
function isSerializationFailure(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.cause instanceof pg.DatabaseError && error.cause.code === SERIALIZATION_FAILURE;
}

const REPEATS_MAX = 5;
const WAIT_MAX_MS = 20;

/**
 * Repeats one statement that PostgreSQL has not executed, or has rolled back: any number of them can be in conflict
 * with each other, and a prepared statement is no longer valid after a migration. An error of a single statement always
 * means that nothing was changed, so this is safe for writes too.
 */
export async function repeated<T>(run: (isRepeated: boolean) => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await run(repeats > 0);
    } catch (error) {
      if (repeats >= repeatsMax(error)) throw error;
      if (isSerializationFailure(error)) await delay(Math.random() * WAIT_MAX_MS * (repeats + 1));
    }
  }
}

function repeatsMax(error: unknown): number {
  if (error instanceof StaleStatement) return 1;
  return isSerializationFailure(error) ? REPEATS_MAX : 0;
}
