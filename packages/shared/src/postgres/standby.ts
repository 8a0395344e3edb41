import { cached } from '../timing/intervals.ts';
import { storeTimeout } from '../timing/timeouts.ts';
import { DatabaseUnavailable, READ_ONLY, sqlStateOf } from './errors.ts';
import type { Query } from './statements.ts';

/** Changes are committed, and wait for a synchronous standby that does not confirm them. Nothing was changed. */
export class StandbyGone extends DatabaseUnavailable {}

/** A standby that is there confirms a change within milliseconds. */
const WAITS_MS = 1_000;
/** One lost commit is no outage. Each takes a connection of the server until the standby is back. */
const A_FEW = 3;
const ASK_EVERY_MS = 500;

/** The sessions are counted by user, since a pooler may give them another name of the application. */
const WAITING = `/* sessions that wait for a standby */
  select count(*) as sessions, current_setting('synchronous_standby_names') as names
  from pg_stat_activity where wait_event = 'SyncRep' and usename = session_user and datname = current_database()
    and query_start < clock_timestamp() - $1 * interval '1 ms'`;

type Waiting = { sessions: number; names: string };

/**
 * With `synchronous_standby_names`, each change waits until a standby has it. If that is gone, the change waits for ever
 * with its session, although its client has left: soon nobody can connect. The sessions that wait are counted, and from a
 * few on no change is begun until they have gone on.
 */
export class Standby {
  readonly #read: () => Promise<Waiting>;
  #isSuspect = false;

  constructor(query: Query) {
    const count = async (): Promise<Waiting> => {
      const [waiting = { sessions: 0, names: '' }] = await query<Waiting>(WAITING, [storeTimeout(WAITS_MS)]);
      this.#isSuspect = waiting.sessions > 0;
      return waiting;
    };
    // An error is not kept: it would fail the first requests after an outage.
    this.#read = cached(ASK_EVERY_MS, count, 0);
  }

  /** @returns what an operator has to do; undefined if the standby is there @throws DatabaseUnavailable */
  async problem(): Promise<string | undefined> {
    const { sessions, names } = await this.#read();
    if (sessions < A_FEW) return undefined;
    return (
      `${sessions} sessions wait for a standby of PostgreSQL that does not respond (synchronous_standby_names is ${JSON.stringify(names)}): ` +
      `start it, or name one that runs: alter system set synchronous_standby_names = '…', then select pg_reload_conf()`
    );
  }

  /** Whether no change may begin. It is asked for only if a change had no response, or if sessions wait. */
  async isGone(): Promise<boolean> {
    return this.#isSuspect && (await this.problem()) !== undefined;
  }

  /** @throws StandbyGone */
  async guard<T>(change: () => Promise<T>): Promise<T> {
    if (this.#isSuspect && (await this.isGone())) throw standbyGone();
    return this.watch(change());
  }

  /** A change without a response may wait for a standby. */
  async watch<T>(change: Promise<T>): Promise<T> {
    try {
      return await change;
    } catch (error) {
      if (error instanceof DatabaseUnavailable && sqlStateOf(error) === undefined) this.#isSuspect = true;
      throw error;
    }
  }
}

/** @returns the error of a change that was tried in a transaction that may only read */
export function asStandbyGone(error: unknown): unknown {
  return sqlStateOf(error) === READ_ONLY ? standbyGone(error) : error;
}

function standbyGone(cause?: unknown): StandbyGone {
  return new StandbyGone('a standby of PostgreSQL does not respond, so that changes wait for it', { cause });
}
