import type { Database } from './postgres.ts';

/**
 * What keeps PostgreSQL from removing the dead rows of this database. `since`: null for a replication slot and a standby
 * without one. `pid`: null for a slot and a prepared transaction. `name`: of the application, the slot or the transaction.
 */
export type Holder = {
  kind: 'session' | 'standby' | 'replication slot' | 'prepared transaction';
  pid: number | null;
  name: string;
  since: Date | null;
  seconds: number;
};
/** `deadRows`: of the outbox and of the texts to be embedded, by the statistics. `seesAll`: whether the role sees all sessions. */
export type OldTransactions = { deadRows: number; holder: Holder | null; seesAll: boolean; role: string };

/** Dead rows of shorter transactions are removed soon. */
const OLD_SECONDS = 300;

const HOLDERS = `
  select case when backend_type = 'walsender' then 'standby' else 'session' end as kind, pid,
    coalesce(nullif(application_name, ''), 'without application_name') as name, xact_start as since, age(backend_xmin) as xids
  from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()
    and (datname = current_database() or backend_type = 'walsender') and backend_type <> 'autovacuum worker'
  union all select 'replication slot', null, slot_name, null, age(xmin) from pg_replication_slots where xmin is not null
  union all select 'prepared transaction', null, gid, prepared, age(transaction) from pg_prepared_xacts
  where database = current_database()`;

/** @returns the holder with the oldest snapshot, if it is older than five minutes or has no start */
export async function readOldTransactions({ query }: Pick<Database, 'query'>, oldSeconds = OLD_SECONDS): Promise<OldTransactions> {
  const [row] = await query<Omit<OldTransactions, 'holder'>>(
    `/* old transactions: dead rows */ select coalesce(sum(n_dead_tup), 0)::bigint as dead_rows, current_user::text as role,
       pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_all
     from pg_stat_user_tables where relid in ('index_outbox'::regclass, 'embedding_work'::regclass)`,
  );
  const [holder] = await query<Holder>(
    `/* old transactions: holder */ select kind, pid, name, since,
       greatest(0, coalesce(extract(epoch from clock_timestamp() - since), 0))::float8 as seconds
     from (${HOLDERS}) h where since is null or since < clock_timestamp() - $1 * interval '1 s' order by xids desc, since nulls first limit 1`,
    [oldSeconds],
  );
  return { deadRows: 0, seesAll: false, role: '', ...row, holder: holder ?? null };
}

/** So many have been seen to slow a claim down. */
const MANY_DEAD_ROWS = 500_000;

/** @returns what an operator has to do; undefined while few rows are dead */
export function describeOldTransaction({ deadRows, holder, seesAll, role }: OldTransactions): string | undefined {
  if (deadRows < MANY_DEAD_ROWS) return undefined;
  const dead = `PostgreSQL does not remove ${deadRows.toLocaleString('en')} dead rows of the outbox, which slow indexing down`;
  if (holder) return `${dead}: ${describeHolder(holder)} may still read them; ${REMEDIES[holder.kind](holder)}`;
  if (seesAll) return `${dead}, and no transaction is old: check that autovacuum is on, or run vacuum index_outbox, embedding_work`;
  return `${dead}: it does not show the transactions of other roles; run grant pg_read_all_stats to "${role}" to see which one is old`;
}

const REMEDIES: Record<Holder['kind'], (holder: Holder) => string> = {
  session: ({ pid }) => `wait for its end, or end it: select pg_terminate_backend(${pid})`,
  standby: () => 'end the long query on the standby, or switch hot_standby_feedback off there',
  'replication slot': ({ name }) => `let its consumer go on, or remove it: select pg_drop_replication_slot('${name}')`,
  'prepared transaction': ({ name }) => `commit prepared '${name}', or rollback prepared '${name}'`,
};

function describeHolder({ kind, pid, name, since }: Holder): string {
  const details = [name, since && `since ${since.toISOString()}`].filter((detail) => detail !== null).join(', ');
  return pid === null
    ? `the ${kind} ${details}`
    : `${kind === 'session' ? 'the transaction of session' : 'the standby of session'} ${pid} (${details})`;
}
