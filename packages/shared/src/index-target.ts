import type { Database, Query, Tx } from './postgres.ts';

/**
 * The concrete indices that changes are written to. `search` stands behind the alias, `next` is being filled by a rebuild,
 * `previous` is kept up to date for a way back. Every change of the list raises the generation, and an acknowledgement of an
 * older generation does not count: a change written to the old list only goes again.
 */
export type Role = 'search' | 'next' | 'previous';
export type IndexTarget = { indexName: string; role: Role; rejectedReason: string | null };

export async function listTargets({ query }: { query: Query }): Promise<IndexTarget[]> {
  const rows = await query<{ index_name: string; role: Role; rejected_reason: string | null }>(
    `select index_name, role, rejected_reason from index_target order by index_name`,
  );
  return rows.map((row) => ({ indexName: row.index_name, role: row.role, rejectedReason: row.rejected_reason }));
}

/** Changes the list in one transaction with its generation. */
export async function changeTargets(database: Database, change: (tx: Tx) => Promise<void>): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(`update index_generation set generation = generation + 1`);
    await change(tx);
  });
}

export async function addTarget(tx: Tx, indexName: string, role: Role): Promise<void> {
  await tx.query(`insert into index_target (index_name, role) values ($1, $2)`, [indexName, role]);
}

export async function setRole(tx: Tx, indexName: string, role: Role): Promise<void> {
  await tx.query(`update index_target set role = $2, rejected_reason = null where index_name = $1`, [indexName, role]);
}

export async function removeTargets(tx: Tx, targets: IndexTarget[]): Promise<void> {
  await tx.query(`delete from index_target where index_name = any($1)`, [targets.map((target) => target.indexName)]);
}

export type GivenUp = { indexName: string; reason: string };

/** Indices that are not searched and refused a document are written no more; whoever looks after them reads why. */
export async function giveUpTargets(database: Database, givenUp: GivenUp[]): Promise<void> {
  if (givenUp.length === 0) return;
  await changeTargets(database, async (tx) => {
    for (const { indexName, reason } of givenUp) {
      await tx.query(`update index_target set rejected_reason = $2 where index_name = $1 and role <> 'search'`, [indexName, reason]);
    }
  });
}
