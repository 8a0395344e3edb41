import type { Tx } from '../postgres/postgres.ts';

/** The hash of what is embedded of `content`; `alias` names its row. */
export function textHash(alias: string): string {
  return `sha256(convert_to(jsonb_build_array(${alias}.name, ${alias}.tags, ${alias}.description)::text, 'UTF8'))`;
}

/** Belongs into a statement that also makes the change. @param changed has the column `content_id` */
export function insertEmbeddingWork(changed: string): string {
  return `/* embeddings: add work */ insert into embedding_work (content_id) select content_id from ${changed}
     on conflict (content_id) do update set due_at = clock_timestamp(), attempts = 0`;
}

/** Must run in the transaction that changes the texts of the item. */
export async function addEmbeddingWork(tx: Tx, contentId: number): Promise<void> {
  await tx.query(insertEmbeddingWork('(values ($1::bigint)) as c (content_id)'), [contentId]);
}
