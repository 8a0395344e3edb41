import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { MAX_STORE_TIMEOUT_FACTOR, storeTimeout } from '../timing/timeouts.ts';
import type { Database, Tx, Query } from './postgres.ts';

/**
 * A lock is a row with a token, because a connection pooler gives each transaction another session.
 * @returns false if another process holds the lock
 */
export async function withLock(database: Database, name: string, work: (held: HeldLock) => Promise<void>): Promise<boolean> {
  const row = { name, token: randomUUID(), holder: `${hostname()}:${process.pid}` };
  if (!(await takeRow(database, row))) return false;
  const kept = keepLock(database, row);
  const assertToken = async (isHeld: Promise<boolean>): Promise<void> => {
    if (!(await isHeld)) throw new LockLost(name);
    kept.signal.throwIfAborted();
  };
  try {
    await work({
      signal: kept.signal,
      assertHeld: () => assertToken(hasToken(database, row)),
      check: (changing) => assertToken(hasTokenUntilCommit(changing, row)),
    });
    return true;
  } finally {
    kept.stop();
    // If this fails, the row expires.
    await releaseRow(database, row).catch(() => undefined);
  }
}

/** Another process may hold the lock now. What was begun under it stops. */
export class LockLost extends Error {
  override readonly name = 'LockLost';

  constructor(lockName: string, cause?: unknown) {
    super(`the lock "${lockName}" was lost: PostgreSQL did not respond for too long, or another process has taken it over; try again`, {
      cause,
    });
  }
}

export type HeldLock = {
  /** Aborts when the lock is lost. */
  signal: AbortSignal;
  /** Precedes changes outside of PostgreSQL, which may come late all the same. @throws LockLost */
  assertHeld(): Promise<void>;
  /** Nobody else takes the lock before this transaction ends. @throws LockLost */
  check(tx: Tx): Promise<void>;
};

const RENEW_EVERY_MS = 2_000;

type Row = Parameters<typeof renewRow>[1];
type Kept = { signal: AbortSignal; stop(): void };

/** Renews a lock in the background until it is stopped or lost. */
function keepLock(database: Database, row: Row): Kept {
  const lost = new AbortController();
  const lose = (cause?: unknown): void => lost.abort(new LockLost(row.name, cause));
  const renewal = renewer(database, row);
  const timer = setInterval(() => void renewal().then((isHeld) => isHeld || lose(), lose), RENEW_EVERY_MS);
  return { signal: lost.signal, stop: () => clearInterval(timer) };
}

/** @returns a function that returns false if the lock was lost, and throws if it is unknown for too long */
function renewer(database: Database, row: Row): () => Promise<boolean> {
  let renewedAt = performance.now();
  return async () => {
    const startedAt = performance.now();
    try {
      if (!(await renewRow(database, row))) return false;
      renewedAt = startedAt;
    } catch (error) {
      if (startedAt - renewedAt > LOCK_TTL_MS) throw error;
    }
    return true;
  };
}

/** `name`: of the lock. `holder`: its process, for operators. */
type Holder = { name: string; token: string; holder: string };
type Queryable = { query: Query };

/** The holder renews its row every few seconds. After a crash, others wait for this long. */
const BASE_TTL_MS = 10_000;
const LOCK_TTL_MS = storeTimeout(BASE_TTL_MS);
const TTL = `interval '${LOCK_TTL_MS} milliseconds'`;
/** The holder's STORE_TIMEOUT_FACTOR may be larger than that of this process. */
const LONGEST_TTL = `interval '${BASE_TTL_MS * MAX_STORE_TIMEOUT_FACTOR} milliseconds'`;

/**
 * Another holder keeps the lock until it expires. If that is later than any process can have set, PostgreSQL's clock was
 * set back, and the lock expires after the usual time from now.
 */
async function takeRow({ query }: Queryable, { name, token, holder }: Holder): Promise<boolean> {
  const isFree = `l.expires_at <= clock_timestamp()`;
  const [row] = await query<{ taken: boolean }>(
    `insert into index_lock as l (name, token, holder, expires_at) values ($1, $2, $3, clock_timestamp() + ${TTL})
     on conflict (name) do update set
       token = case when ${isFree} then excluded.token else l.token end,
       holder = case when ${isFree} then excluded.holder else l.holder end,
       expires_at = excluded.expires_at
     where ${isFree} or l.expires_at > clock_timestamp() + ${LONGEST_TTL}
     returning token = $2 as taken`,
    [name, token, holder],
  );
  return row?.taken ?? false;
}

/** @returns false if another process has taken the lock */
async function renewRow({ query }: Queryable, { name, token }: Holder): Promise<boolean> {
  const renew = `update index_lock set expires_at = clock_timestamp() + ${TTL} where name = $1 and token = $2 returning 1`;
  return (await query(renew, [name, token])).length === 1;
}

async function releaseRow({ query }: Queryable, { name, token }: Holder): Promise<void> {
  await query(`delete from index_lock where name = $1 and token = $2`, [name, token]);
}

async function hasToken({ query }: Queryable, { name, token }: Holder): Promise<boolean> {
  return (await query(`select 1 from index_lock where name = $1 and token = $2`, [name, token])).length === 1;
}

/** Another process that takes the lock waits for the end of this transaction. */
async function hasTokenUntilCommit(tx: Tx, { name, token }: Holder): Promise<boolean> {
  return (await tx.query(`select 1 from index_lock where name = $1 and token = $2 for share`, [name, token])).length === 1;
}

/** Reads the state of a lock without taking it. */
export async function isLocked({ query }: Queryable, name: string): Promise<boolean> {
  return (await query(`select 1 from index_lock where name = $1 and expires_at > clock_timestamp()`, [name])).length === 1;
}
