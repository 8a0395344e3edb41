import type { Query, Tx } from '../stores/postgres.ts';

/** `name`: of the lock. `holder`: its process, for operators. */
type Holder = { name: string; token: string; holder: string };
type Queryable = { query: Query };

/** The holder renews its row every few seconds. After a crash, others wait for this long. */
export const LOCK_TTL_MS = 10_000;
const TTL = `interval '${LOCK_TTL_MS} milliseconds'`;

/** Another holder keeps the lock until it expires, at most for the usual time from now, since PostgreSQL's clock may have been set back. */
export async function takeRow({ query }: Queryable, { name, token, holder }: Holder): Promise<boolean> {
  const isFree = `l.expires_at <= clock_timestamp()`;
  const [row] = await query<{ taken: boolean }>(
    `insert into index_lock as l (name, token, holder, expires_at) values ($1, $2, $3, clock_timestamp() + ${TTL})
     on conflict (name) do update set
       token = case when ${isFree} then excluded.token else l.token end,
       holder = case when ${isFree} then excluded.holder else l.holder end,
       expires_at = excluded.expires_at
     where ${isFree} or l.expires_at > clock_timestamp() + ${TTL}
     returning token = $2 as taken`,
    [name, token, holder],
  );
  return row?.taken ?? false;
}

/** @returns false if another process has taken the lock */
export async function renewRow({ query }: Queryable, { name, token }: Holder): Promise<boolean> {
  const renew = `update index_lock set expires_at = clock_timestamp() + ${TTL} where name = $1 and token = $2 returning 1`;
  return (await query(renew, [name, token])).length === 1;
}

export async function releaseRow({ query }: Queryable, { name, token }: Holder): Promise<void> {
  await query(`delete from index_lock where name = $1 and token = $2`, [name, token]);
}

export async function hasToken({ query }: Queryable, { name, token }: Holder): Promise<boolean> {
  return (await query(`select 1 from index_lock where name = $1 and token = $2`, [name, token])).length === 1;
}

/** Another process that takes the lock waits for the end of this transaction. */
export async function hasTokenUntilCommit(tx: Tx, { name, token }: Holder): Promise<boolean> {
  return (await tx.query(`select 1 from index_lock where name = $1 and token = $2 for share`, [name, token])).length === 1;
}

/** Reads the state of a lock without taking it. */
export async function isLocked({ query }: Queryable, name: string): Promise<boolean> {
  return (await query(`select 1 from index_lock where name = $1 and expires_at > clock_timestamp()`, [name])).length === 1;
}
