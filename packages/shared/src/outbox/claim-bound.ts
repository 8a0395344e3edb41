import type { Database, Tx } from '../postgres/postgres.ts';

/**
 * Runs a claim. Whatever the statistics say, the index is read in its order: with many dead rows, another plan takes seconds.
 */
export function claiming<T>({ transaction }: Pick<Database, 'transaction'>, claim: (tx: Tx) => Promise<T>): Promise<T> {
  const inOrder = async (tx: Tx): Promise<T> => {
    await tx.query(`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`);
    return claim(tx);
  };
  return transaction(inOrder, { isClaim: true });
}

/** A table whose rows are claimed in the order of `due_at`. `claimable`: the condition of its partial index, if it has one. */
type Queue = { table: string; claimable: string };

const ADVANCE_EVERY_MS = 2_000;
/** Releases of 1.0.0 keep the time of a change that came while the job ran. A statement takes its time before it writes. */
const MARGIN = `interval '30 s'`;
/** So long waits what 1.0.0 releases later than that. The look reads the dead rows. */
const LOOK_BELOW_EVERY_MS = 60_000;
const CLOCK_STEP_MS = 1_000;
/** Rows that are due earlier are those of hidden items, which have claims of their own. */
const FIRST = `statement_timestamp() - interval '500 years'`;

type Look = { at: string; epochMs: number; xmin: string; xmax: string; hasOlder: boolean; hasBelow: boolean };
type Candidate = { at: string; xmax: bigint };

/**
 * The due time after which a claim begins. What an old transaction of somebody else may still read, such as that of a backup,
 * is not vacuumed, and a claim would read all rows that are dead since then.
 *
 * No row is due before the bound and free, now or later: the transactions that were writing at a time have ended, however
 * late, and since then no free row was due before that time; and a row that is released is not due before (`AT_ONCE`). Only a
 * transaction that has written counts, so that a long reader does not hold the bound. A look below the bound finds what is
 * there against all this, such as rows of another release, and the bound is forgotten.
 */
export class ClaimBound {
  readonly #queue: Queue;
  readonly #lookBelowEveryMs: number;
  #bound: string | null = null;
  #candidate: Candidate | undefined;
  #clock: number | undefined;
  #advancedAtMs = -Infinity;
  #lookedBelowAtMs = performance.now();

  constructor(queue: Queue, lookBelowEveryMs = LOOK_BELOW_EVERY_MS) {
    this.#queue = queue;
    this.#lookBelowEveryMs = lookBelowEveryMs;
  }

  /** @returns null if the next claim begins with the first row */
  get after(): string | null {
    return this.#bound;
  }

  /** After an error, and after a step of the clock. */
  reset(): void {
    this.#bound = null;
    this.#candidate = undefined;
    this.#clock = undefined;
  }

  /** Belongs to each pass, and asks every two seconds. */
  async advance(database: Pick<Database, 'transaction'>): Promise<void> {
    if (performance.now() - this.#advancedAtMs < ADVANCE_EVERY_MS) return;
    this.#advancedAtMs = performance.now();
    const [look] = await claiming(database, (tx) => this.#look(tx));
    if (!look) return;
    if (look.hasBelow || this.#hasClockStepped(look)) return this.reset();
    const candidate = this.#candidate;
    if (candidate && (look.hasOlder || BigInt(look.xmin) < candidate.xmax)) return;
    if (candidate) this.#bound = candidate.at;
    this.#candidate = { at: look.at, xmax: BigInt(look.xmax) };
  }

  /** The clocks of PostgreSQL and of this process go equally fast, unless one of them is set. */
  #hasClockStepped({ epochMs }: Look): boolean {
    const clock = epochMs - performance.now();
    this.#clock ??= clock;
    return Math.abs(clock - this.#clock) > CLOCK_STEP_MS;
  }

  #look({ query }: Tx): Promise<Look[]> {
    const { table, claimable } = this.#queue;
    const looksBelow = performance.now() - this.#lookedBelowAtMs >= this.#lookBelowEveryMs;
    if (looksBelow) this.#lookedBelowAtMs = performance.now();
    const values = [this.#bound, this.#candidate?.at ?? null, String(this.#candidate?.xmax ?? 0), looksBelow ? this.#bound : null];
    const hasDue = (after: string, upTo: string): string => `exists (select from (
           select due_at from ${table} where ${claimable} and due_at > ${after} and due_at <= ${upTo} order by due_at limit 1
         ) o)`;
    const text = `/* outbox: advance the bound */ select (statement_timestamp() - ${MARGIN})::text as at,
         extract(epoch from clock_timestamp())::float8 * 1000 as epoch_ms,
         pg_snapshot_xmin(pg_current_snapshot())::text as xmin, pg_snapshot_xmax(pg_current_snapshot())::text as xmax,
         pg_snapshot_xmin(pg_current_snapshot()) >= $3::xid8 and ${hasDue(`coalesce($1::timestamptz, ${FIRST})`, '$2::timestamptz')} as has_older,
         ${hasDue(FIRST, '$4::timestamptz')} as has_below`;
    return query<Look>(text, values);
  }
}
