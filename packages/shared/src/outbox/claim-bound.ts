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
/** A row may become free again with the due time of a change that came while its job ran. */
const MARGIN = `interval '30 s'`;
/** Such a row of a job that took longer than the margin waits for a claim without the bound. */
const UNBOUNDED_EVERY_MS = 60_000;
const CLOCK_STEP_MS = 1_000;
/** Rows that are due earlier are those of hidden items, which have claims of their own. */
const DUE_WITHIN = `interval '500 years'`;

type Look = { at: string; epochMs: number; xmin: string; xmax: string; hasOlder: boolean };
type Candidate = { at: string; xmax: bigint };

/**
 * The due time after which a claim begins. What an old transaction of somebody else may still read, such as that of a backup,
 * is not vacuumed, and a claim would read all rows that are dead since then.
 *
 * No row is due before the bound and free, now or later: the transactions that were writing at a time have ended, however
 * late, and since then no free row was due before that time. Only a transaction that has written counts, so that a long
 * reader does not hold the bound.
 */
export class ClaimBound {
  readonly #queue: Queue;
  #bound: string | null = null;
  #candidate: Candidate | undefined;
  #clock: number | undefined;
  #advancedAtMs = -Infinity;
  #unboundedAtMs = performance.now();

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** @returns null at least once a minute: the next claim begins with the first row */
  next(): string | null {
    if (performance.now() - this.#unboundedAtMs < UNBOUNDED_EVERY_MS) return this.#bound;
    this.#unboundedAtMs = performance.now();
    return null;
  }

  /** After an error, after a step of the clock, and when rows were released with their former due times. */
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
    // The clocks of PostgreSQL and of this process go equally fast, unless one of them is set.
    const clock = look.epochMs - performance.now();
    if (this.#clock !== undefined && Math.abs(clock - this.#clock) > CLOCK_STEP_MS) return this.reset();
    this.#clock ??= clock;
    const candidate = this.#candidate;
    if (candidate && (look.hasOlder || BigInt(look.xmin) < candidate.xmax)) return;
    if (candidate) this.#bound = candidate.at;
    this.#candidate = { at: look.at, xmax: BigInt(look.xmax) };
  }

  #look({ query }: Tx): Promise<Look[]> {
    const { table, claimable } = this.#queue;
    const values = [this.#bound, this.#candidate?.at ?? null, String(this.#candidate?.xmax ?? 0)];
    const text = `/* outbox: advance the bound */ select (statement_timestamp() - ${MARGIN})::text as at,
         extract(epoch from clock_timestamp())::float8 * 1000 as epoch_ms,
         pg_snapshot_xmin(pg_current_snapshot())::text as xmin, pg_snapshot_xmax(pg_current_snapshot())::text as xmax,
         pg_snapshot_xmin(pg_current_snapshot()) >= $3::xid8 and exists (select from (
           select due_at from ${table} where ${claimable} and due_at > coalesce($1::timestamptz, statement_timestamp() - ${DUE_WITHIN})
             and due_at <= coalesce($2::timestamptz, statement_timestamp() - ${DUE_WITHIN}) order by due_at limit 1
         ) o) as has_older`;
    return query<Look>(text, values);
  }
}
