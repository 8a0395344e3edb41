import type { Query, Tx } from '../stores/postgres.ts';

/** `advisoryKey`: the key of PostgreSQL's advisory lock with which the previous release excludes other processes. */
export type Lock = { name: string; advisoryKey: number };

type Holder = { lock: Lock; token: string; holder: string };
type Queryable = { query: Query };

/** The holder renews its row every few seconds. */
export const LOCK_TTL_MS = 30_000;
const TTL = `interval '${LOCK_TTL_MS} milliseconds'`;

/**
 * Must be called with the advisory lock: a holder that had it as well has ended. Another holder keeps the lock until it
 * expires, at most for the usual time from now, since PostgreSQL's clock may have been set back.
 */
export async function takeRow({ query }: Queryable, { lock, token, holder }: Holder): Promise<boolean> {
  const isFree = `(l.advisory or l.expires_at <= clock_timestamp())`;
  const [row] = await query<{ taken: boolean }>(
    `insert into index_lock as l (name, token, holder, expires_at, advisory) values ($1, $2, $3, clock_timestamp() + ${TTL}, true)
     on conflict (name) do update set
       token = case when ${isFree} then excluded.token else l.token end,
       holder = case when ${isFree} then excluded.holder else l.holder end,
       advisory = case when ${isFree} then excluded.advisory else l.advisory end,
       expires_at = excluded.expires_at
     where ${isFree} or l.expires_at > clock_timestamp() + ${TTL}
     returning token = $2 as taken`,
    [lock.name, token, holder],
  );
  return row?.taken ?? false;
}

/** @returns false if another process has taken the lock */
export async function renewRow({ query }: Queryable, { lock, token }: Holder): Promise<boolean> {
  const renew = `update index_lock set expires_at = clock_timestamp() + ${TTL} where name = $1 and token = $2 returning 1`;
  return (await query(renew, [lock.name, token])).length === 1;
}

export async function releaseRow({ query }: Queryable, { lock, token }: Holder): Promise<void> {
  await query(`delete from index_lock where name = $1 and token = $2`, [lock.name, token]);
}

export async function hasToken({ query }: Queryable, { lock, token }: Holder): Promise<boolean> {
  return (await query(`select 1 from index_lock where name = $1 and token = $2`, [lock.name, token])).length === 1;
}

/** Another process that takes the lock waits for the end of this transaction. */
export async function hasTokenUntilCommit(tx: Tx, { lock, token }: Holder): Promise<boolean> {
  return (await tx.query(`select 1 from index_lock where name = $1 and token = $2 for share`, [lock.name, token])).length === 1;
}

/** Reads the state of a lock without taking it. */
export async function isLocked({ query }: Queryable, { name, advisoryKey }: Lock): Promise<boolean> {
  // PostgreSQL shows a key of 64 bits as two numbers of 32 bits (manual, pg_locks).
  const [row] = await query<{ locked: boolean }>(
    `select exists (
       select from pg_locks join pg_database d on d.oid = database
       where locktype = 'advisory' and objsubid = 1 and (classid::bigint << 32) + objid::bigint = $1
         and granted and d.datname = current_database()
     ) or exists (
       select from index_lock where name = $2 and not advisory and expires_at > clock_timestamp()
     ) as locked`,
    [advisoryKey, name],
  );
  return row?.locked ?? false;
}
