import type { Tx } from '../postgres/postgres.ts';

/** The hash of what is embedded of `content`; `alias` names its row. */
export function textHash(alias: string): string {
  return `sha256(convert_to(jsonb_build_array(${alias}.name, ${alias}.tags, ${alias}.description)::text, 'UTF8'))`;
}

/**
 * Belongs into a statement that also makes the change. Before any indexer has EMBEDDINGS_URL there is no work: the walk of
 * the first one finds all items. @param changed has the column `content_id`
 */
export function insertEmbeddingWork(changed: string): string {
  return `/* embeddings: add work */ insert into embedding_work (content_id)
     select content_id from ${changed} where exists (select from embedding_model) order by content_id
     on conflict (content_id) do update set due_at = clock_timestamp(), attempts = 0`;
}

/** Must run in the transaction that changes the texts of the items. */
export async function addEmbeddingWork(tx: Tx, contentIds: number[]): Promise<void> {
  await tx.query(insertEmbeddingWork('unnest($1::bigint[]) as changed (content_id)'), [contentIds]);
}
