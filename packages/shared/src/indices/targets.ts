import { fieldsToRebuild, fromStored, toStored, type Definitions, type StoredDefinitions } from '@ugc/fields/definition';
import { aliasOf, MAPPING_VERSION } from '../contracts/content-index.ts';
import type { HeldLock } from '../postgres/locks.ts';
import type { IndexHistory, Repair } from './index-history.ts';
import type { Database, Query, Tx } from '../postgres/postgres.ts';

/**
 * The alias points to `search`; a rebuild fills `next`; `previous` is kept up to date for a rollback. The name of an index
 * begins with its alias, and each alias has its own `search` and `next`. Every change of the list raises its generation. A change that was written under an older generation is written again.
 */
export type Role = 'search' | 'next' | 'previous';

export type IndexTarget = {
  indexName: string;
  role: Role;
  roleSince: Date;
  mappingVersion: number;
  /** The declared fields by which its documents are made. They never change. */
  fields: StoredDefinitions;
  uuid: string | null;
  filledTo: number;
  retiredReason: string | null;
  history: IndexHistory | null;
  /** What remains to be done since the last restore, and when an indexer noticed that. */
  repair: Repair | null;
  restoredAt: Date | null;
  /** Whether a swap has noted that it blocks its writes. An operator has set any other block. */
  blockedBySwap: boolean;
};

export async function listTargets({ query }: { query: Query }): Promise<IndexTarget[]> {
  return query<IndexTarget>(
    `select index_name, role, role_since, mapping_version, fields, uuid, filled_to, rejected_reason as retired_reason, history,
       repair, restored_at,
       exists (select from index_lock l where l.name = '${WRITE_BLOCK}' || index_name) as blocked_by_swap
     from index_target order by index_name`,
  );
}

/** The beginning of the name of a lock: a swap notes there that it blocks the writes of an index. */
const WRITE_BLOCK = 'writes of ';
/** Longer than the request of a process that has crashed may be on its way. */
const BLOCK_NOTED = `interval '10 minutes'`;

/** Follows the end of the block. */
export async function forgetWriteBlock({ query }: { query: Query }, indexName: string): Promise<void> {
  await query(`delete from index_lock where name = $1`, [WRITE_BLOCK + indexName]);
}

/** After a crash the block may come late. Until an indexer has seen all targets without one, the notes stay, however old. */
export async function forgetOldWriteBlocks({ query }: { query: Query }): Promise<void> {
  await query(`delete from index_lock where name like '${WRITE_BLOCK}%' and expires_at < clock_timestamp()`);
}

/** Precedes the block of a swap, so that it can be told from that of an operator if the process crashes. */
export async function noteWriteBlock({ query }: { query: Query }, indexName: string): Promise<void> {
  await query(
    `insert into index_lock (name, token, expires_at) values ($1, gen_random_uuid(), clock_timestamp() + ${BLOCK_NOTED})
     on conflict (name) do update set expires_at = excluded.expires_at`,
    [WRITE_BLOCK + indexName],
  );
}

type OfAlias = { database: { query: Query }; alias: string };

/** Omits the indices of a former CONTENT_ALIAS, which are written and otherwise left as they are. */
export async function listTargetsOf({ database, alias }: OfAlias): Promise<IndexTarget[]> {
  return (await listTargets(database)).filter(({ indexName }) => aliasOf(indexName) === alias);
}

export async function findTarget(of: OfAlias, role: Role): Promise<IndexTarget | undefined> {
  return (await listTargetsOf(of)).find((target) => target.role === role);
}

/** A process that has lost the index lock changes nothing. @throws LockLost */
export async function changeTargets(database: Database, lock: HeldLock, change: (tx: Tx) => Promise<unknown>): Promise<void> {
  await database.transaction(async (tx) => {
    await lock.check(tx);
    await raiseGeneration(tx);
    await change(tx);
  });
}

/** Also makes changes of the list wait for each other. */
async function raiseGeneration(tx: Tx): Promise<void> {
  await tx.query(`update index_control set generation = generation + 1`);
}

export async function addNextTarget(tx: Tx, indexName: string, definitions: Definitions): Promise<void> {
  await tx.query(`insert into index_target (index_name, role, mapping_version, fields) values ($1, 'next', $2, $3)`, [
    indexName,
    MAPPING_VERSION,
    JSON.stringify(toStored(definitions)),
  ]);
}

export async function setRole(tx: Tx, indexName: string, role: Role): Promise<void> {
  const update = `update index_target set role = $2, role_since = clock_timestamp(), rejected_reason = null where index_name = $1`;
  await tx.query(update, [indexName, role]);
}

/** Lets changes be written to the index from now on. @throws LockLost */
export async function setUuid(database: Database, lock: HeldLock, { indexName, uuid }: { indexName: string; uuid: string }): Promise<void> {
  await changeTargets(database, lock, (tx) => tx.query(`update index_target set uuid = $2 where index_name = $1`, [indexName, uuid]));
}

export type Retirement = { indexName: string; reason: string };

/**
 * Stops writing to these indices, but never to the searched index. Jobs call this without the index lock: that an index
 * rejects an item is true whoever holds the lock, and the generation keeps the role from changing meanwhile.
 */
export async function retireTargets(database: Database, retired: Retirement[]): Promise<void> {
  if (retired.length === 0) return;
  await database.transaction(async (tx) => {
    await raiseGeneration(tx);
    for (const { indexName, reason } of retired) {
      await tx.query(`update index_target set rejected_reason = $2 where index_name = $1 and role <> 'search'`, [indexName, reason]);
    }
  });
}

type Built = Pick<IndexTarget, 'role' | 'mappingVersion' | 'fields'>;

/** Whether the mapping of the searched index is older than this code, or its fields are others than those declared now. */
export function isRebuildDue(target: Built, declared: Definitions): boolean {
  const { role, mappingVersion } = target;
  return (role === 'search' && mappingVersion < MAPPING_VERSION) || fieldsDue(target, declared).length > 0;
}

/** @returns the declared fields for which the searched index has to be rebuilt */
export function fieldsDue({ role, fields }: Pick<Built, 'role' | 'fields'>, declared: Definitions): string[] {
  return role === 'search' ? fieldsToRebuild(declared, fromStored(fields)) : [];
}
