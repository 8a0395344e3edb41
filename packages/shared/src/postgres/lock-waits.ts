import type pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { repeat } from '../timing/repeat.ts';

export type Report = (line: string) => void;

/**
 * A session that another one waits for. What the role may not see is null. `since`: when its transaction began.
 * `transaction`: its name in pg_locks; null for a prepared transaction, which has the pid 0.
 */
type Blocker = Backend & { transaction: string | null };
type Backend = { pid: number; application: string | null; state: string | null; since: Date | null };

/** The columns of a Backend; `a` is pg_stat_activity. */
const SESSION = 'a.application_name as application, a.state, a.xact_start as since';

const LOOK_EVERY_MS = 200;
const REPORT_AGAIN_AFTER_MS = 30_000;
const PAUSE_MS = 1_000;
/** The pause if it is not known when the blockers end. */
const LONG_PAUSE_MS = 10_000;

/** Reports what one session waits for, over the connection of another one. */
export class LockWaits {
  readonly #observer: pg.Client;
  readonly #pid: number;
  readonly #report: Report;
  #blockers: Blocker[] = [];
  #reported = { of: '', atMs: -Infinity };

  constructor(observer: pg.Client, pid: number, report: Report) {
    this.#observer = observer;
    this.#pid = pid;
    this.#report = report;
  }

  /** @param what is named in the reports, for example a migration */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.#blockers = [];
    const looking = repeat(() => this.#look(what), { everyMs: LOOK_EVERY_MS, onError: () => undefined });
    try {
      return await work();
    } finally {
      await looking.stop();
    }
  }

  /** Waits until the transactions have ended that were waited for at last, so that nobody queues behind a lock in vain. */
  async untilBlockersEnd(what: string): Promise<void> {
    const names = this.#blockers.map(({ transaction }) => transaction);
    if (names.length === 0) this.#report(`${what} waits for a lock`);
    if (names.length === 0 || names.includes(null)) return delay(LONG_PAUSE_MS);
    do {
      await delay(PAUSE_MS);
      this.#reportBlockers(what);
    } while (await this.#areRunning(names));
  }

  async #look(what: string): Promise<void> {
    const { rows } = await this.#observer.query<Blocker>(
      `select distinct b.pid, ${SESSION}, l.virtualtransaction as transaction
       from unnest(pg_blocking_pids($1)) b (pid)
       left join pg_stat_activity a on a.pid = b.pid
       left join pg_locks l on l.pid = b.pid and l.locktype = 'virtualxid' and l.virtualtransaction = l.virtualxid
       order by b.pid`,
      [this.#pid],
    );
    if (rows.length === 0) return;
    this.#blockers = rows;
    this.#reportBlockers(what);
  }

  async #areRunning(transactions: (string | null)[]): Promise<boolean> {
    const { rows } = await this.#observer.query(`select from pg_locks where virtualtransaction = any($1) limit 1`, [transactions]);
    return rows.length > 0;
  }

  #reportBlockers(what: string): void {
    // The state of a session changes with each of its statements.
    const of = `${what} ${this.#blockers.map(({ pid, transaction }) => `${pid} ${transaction}`).join()}`;
    if (of === this.#reported.of && performance.now() - this.#reported.atMs < REPORT_AGAIN_AFTER_MS) return;
    this.#reported = { of, atMs: performance.now() };
    this.#report(`${what} waits for ${this.#blockers.map(describeBackend).join(' and ')}`);
  }
}

/** @returns the sessions that hold an advisory lock of this database, described for operators */
export async function describeLockHolders(client: pg.Client, advisoryKey: number): Promise<string> {
  // PostgreSQL shows a key of 64 bits as two numbers of 32 bits (manual, pg_locks).
  const { rows } = await client.query<Backend>(
    `select l.pid, ${SESSION} from pg_locks l join pg_database d on d.oid = l.database left join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and d.datname = current_database()
       and (l.classid::bigint << 32) + l.objid::bigint = $1`,
    [advisoryKey],
  );
  return rows.map(describeBackend).join(' and ') || 'a session that has just ended';
}

function describeBackend({ pid, application, state, since }: Backend): string {
  if (pid === 0) return 'a prepared transaction (see pg_prepared_xacts)';
  const details = [application || 'without application_name', state, since && `in a transaction since ${since.toISOString()}`];
  return `session ${pid} (${details.filter((detail) => detail !== null).join(', ')})`;
}
