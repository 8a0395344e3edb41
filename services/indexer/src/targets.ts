import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { Database, Query, Tx } from '@ugc/shared/stores/postgres';

/**
 * The indices that changes are written to. The alias points to `search`; a rebuild fills `next`; `previous` is kept up
 * to date for a rollback. Every change of this list raises its generation. A change that was written under an older
 * generation is not acknowledged but written again, to the targets of the new list.
 */
export type Role = 'search' | 'next' | 'previous';

export type IndexTarget = {
  indexName: string;
  role: Role;
  roleSince: Date;
  /** MAPPING_VERSION of the code that created the index. */
  mappingVersion: number;
  /** Null until the index exists. */
  uuid: string | null;
  /** The content ID up to which the rebuild has written items. */
  filledTo: number;
  /** Why the index was retired; null while it is written. */
  retiredReason: string | null;
};

export async function listTargets({ query }: { query: Query }): Promise<IndexTarget[]> {
  return query<IndexTarget>(
    `select index_name as "indexName", role, role_since as "roleSince", mapping_version as "mappingVersion", uuid,
       filled_to as "filledTo", rejected_reason as "retiredReason"
     from index_target order by index_name`,
  );
}

export async function findTarget(database: Database, role: Role): Promise<IndexTarget | undefined> {
  return (await listTargets(database)).find((target) => target.role === role);
}

/** Changes the list and raises its generation, in one transaction. */
export async function changeTargets(database: Database, change: (tx: Tx) => Promise<void>): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(`update index_control set generation = generation + 1`);
    await change(tx);
  });
}

export async function addNextTarget(tx: Tx, indexName: string): Promise<void> {
  await tx.query(`insert into index_target (index_name, role, mapping_version) values ($1, 'next', $2)`, [indexName, MAPPING_VERSION]);
}

export async function setRole(tx: Tx, indexName: string, role: Role): Promise<void> {
  await tx.query(`update index_target set role = $2, role_since = clock_timestamp(), rejected_reason = null where index_name = $1`, [
    indexName,
    role,
  ]);
}

export async function removeTarget(tx: Tx, indexName: string): Promise<void> {
  await tx.query(`delete from index_target where index_name = $1`, [indexName]);
}

export async function setUuid(database: Database, indexName: string, uuid: string): Promise<void> {
  await database.query(`update index_target set uuid = $2 where index_name = $1`, [indexName, uuid]);
}

/** @param attempts number of attempts at the next batch that are already counted */
export async function saveFillProgress(database: Database, indexName: string, contentId: number, attempts = 0): Promise<void> {
  await database.query(`update index_target set filled_to = $2, fill_attempts = $3 where index_name = $1`, [
    indexName,
    contentId,
    attempts,
  ]);
}

/** @returns the number of attempts at the batch after `filledTo`, including this one */
export async function startFillAttempt(database: Database, indexName: string): Promise<number> {
  const [row] = await database.query<{ attempts: number }>(
    `update index_target set fill_attempts = fill_attempts + 1 where index_name = $1 returning fill_attempts as attempts`,
    [indexName],
  );
  return row?.attempts ?? 1;
}

export async function undoFillAttempt(database: Database, indexName: string): Promise<void> {
  await database.query(`update index_target set fill_attempts = greatest(fill_attempts - 1, 0) where index_name = $1`, [indexName]);
}

export type Retirement = { indexName: string; reason: string };

/** Stops writing to these indices and stores the reason for the operator. The searched index is never retired. */
export async function retireTargets(database: Database, retired: Retirement[]): Promise<void> {
  if (retired.length === 0) return;
  await changeTargets(database, async (tx) => {
    for (const { indexName, reason } of retired) {
      await tx.query(`update index_target set rejected_reason = $2 where index_name = $1 and role <> 'search'`, [indexName, reason]);
    }
  });
}
