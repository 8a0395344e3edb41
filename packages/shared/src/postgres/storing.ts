import type { Database } from './postgres.ts';
import { DatabaseUnavailable, READ_ONLY, SchemaOutdated, sqlStateOf } from './errors.ts';

/** Why changes are not stored although PostgreSQL can be read. The problem says what to do, and names no server. */
export type NotStored = { state: 'read_only' | 'refuses'; problem: string };

const WHO_WAITS = 'select pid, query, pg_blocking_pids(pid) from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0';
const LOCKED = `a table or a row is locked for too long; this shows by whom: ${WHO_WAITS}`;

/** What to do, by the beginning of the SQLSTATE. The first row that matches applies. */
const PROBLEMS: readonly (readonly [sqlState: string, problem: string])[] = [
  [
    READ_ONLY,
    'PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on. ' +
      'Connect DATABASE_URL to the primary, or switch the setting off',
  ],
  ['53100', 'the disk of PostgreSQL is full: free space on it, or enlarge it'],
  ['53200', 'PostgreSQL has too little memory: enlarge it, or lower its settings of memory'],
  ['53300', 'PostgreSQL has too few connections: raise max_connections, or lower DATABASE_POOL_SIZE'],
  ['54000', 'PostgreSQL has used up its transaction ids: end old transactions, remove unused replication slots, and run VACUUM'],
  ['2200H', 'PostgreSQL has used up the ids of a sequence: alter it to have a larger type or maximum'],
  ['42501', 'PostgreSQL refuses changes: grant the privilege that its log names'],
  ['55P03', LOCKED],
  ['57014', LOCKED],
  ['58', 'PostgreSQL cannot write its files: see its log, and check the disk'],
  ['XX', 'PostgreSQL has found damaged data: see its log, and restore a backup if the disk is at fault'],
];

function describe(error: DatabaseUnavailable): NotStored {
  const sqlState = sqlStateOf(error) ?? '';
  const [, problem] = PROBLEMS.find(([beginning]) => sqlState.startsWith(beginning)) ?? [];
  const unknown = sqlState === '' ? error.message : `PostgreSQL refuses changes (SQLSTATE ${sqlState}): see its log`;
  return { state: sqlState === READ_ONLY ? 'read_only' : 'refuses', problem: `no change is stored: ${problem ?? unknown}` };
}

/** @returns that the indices may be in another order than the operating system's, and what to do; servers before 15 do not know */
export async function readCollationProblem({ query }: Pick<Database, 'query'>): Promise<string | undefined> {
  const [row] = await query<{ name: string; built: string | null; present: string | null }>(
    `/* collation */ select datname as name, datcollversion as built, pg_database_collation_actual_version(oid) as present
     from pg_database where datname = current_database()`,
  ).catch((error: unknown): never[] => {
    if (error instanceof SchemaOutdated) return [];
    throw error;
  });
  if (!row?.built || !row.present || row.built === row.present) return undefined;
  return (
    `the indices of PostgreSQL were built with version ${row.built} of its collation, and it has ${row.present}, so that rows may ` +
    `not be found: run reindex database "${row.name}", then alter database "${row.name}" refresh collation version`
  );
}

/** Errors that end by themselves: a conflict with another transaction, and a lost connection. */
const OF_ONE_CHANGE = /^(40|57P|08)/;
/** The memory ends by itself: there may be no other change that ends it. */
const REMEMBERED_MS = 300_000;

/** A lock or a statement that took too long. Alone it is that of one row; several in a row are of a table, or of all changes. */
const TOO_LONG = new Set(['55P03', '57014']);
/** Short, so that repetitions of the change of one row raise no alert: while all changes wait, others follow. */
const TOO_LONG_REMEMBERED_MS = 30_000;

type Failure = { error: DatabaseUnavailable; atMs: number; isRepeated: boolean };

/** What the last change of this process met. */
export class LastChange {
  #failure: Failure | undefined;

  /** An error that PostgreSQL has not caused says nothing about it. */
  async watch<T>(change: Promise<T>): Promise<T> {
    try {
      const result = await change;
      this.#failure = undefined;
      return result;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && isLasting(error)) this.#remember(error);
      throw error;
    }
  }

  #remember(error: DatabaseUnavailable): void {
    const isRepeated = this.#failure !== undefined && ageOf(this.#failure) < REMEMBERED_MS;
    this.#failure = { error, atMs: performance.now(), isRepeated };
  }

  /** Why the last change failed; undefined if it was stored, if the failure is old, or if it may be of one row. */
  get failure(): DatabaseUnavailable | undefined {
    if (!this.#failure) return undefined;
    const { error, isRepeated } = this.#failure;
    const isTooLong = TOO_LONG.has(sqlStateOf(error) ?? '');
    if (isTooLong && !isRepeated) return undefined;
    return ageOf(this.#failure) < (isTooLong ? TOO_LONG_REMEMBERED_MS : REMEMBERED_MS) ? error : undefined;
  }
}

function ageOf({ atMs }: Failure): number {
  return performance.now() - atMs;
}

function isLasting(error: DatabaseUnavailable): boolean {
  const sqlState = sqlStateOf(error);
  return sqlState !== undefined && !OF_ONE_CHANGE.test(sqlState);
}

/** Needs the permissions and the locks of an upload, and changes no row, so that it takes neither a transaction id nor space. */
const PROBE = `/* can changes be stored */ select set_config('lock_timeout', '500ms', true);
  with none as (update content set revision = revision where false returning content_id, revision)
  insert into index_outbox (content_id, revision) select content_id, revision from none`;

export type StoringSources = Pick<Database, 'query' | 'lastChange' | 'standby'>;

/**
 * Tells why PostgreSQL stores no changes, by the sessions that wait for a standby, by a probe and, since that notices no
 * full disk, by the last change of this process.
 * @returns undefined if it stores them, or if its schema is older
 */
export async function whyNotStored({ query, lastChange, standby }: StoringSources): Promise<NotStored | undefined> {
  const standbyProblem = await standby.problem();
  if (standbyProblem !== undefined) return { state: 'refuses', problem: `no change is stored: ${standbyProblem}` };
  try {
    await query(PROBE);
  } catch (error) {
    if (error instanceof SchemaOutdated) return undefined;
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return describe(error);
  }
  return lastChange.failure && describe(lastChange.failure);
}
