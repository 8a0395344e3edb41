import { forgetDropped, listDropped } from '@ugc/shared/outbox/dropped';
import { readRevisions, type IndexDeps } from './target-indices.ts';

const BATCH = 500;

/** Forgets dropped changes that the newly searched index holds: only the previous index had rejected them. */
export async function forgetIndexedDropped({ database, elasticsearch }: IndexDeps, indexName: string): Promise<void> {
  for (let batch = await listDropped(database, 0, BATCH); batch.length > 0;) {
    const ids = batch.map((item) => item.content_id);
    const indexed = await readRevisions(elasticsearch, indexName, ids);
    const held = batch.filter(({ content_id: id, revision }) => (indexed.get(id) ?? 0) >= revision);
    if (held.length > 0) await forgetDropped(database, held);
    batch = await listDropped(database, ids.at(-1) ?? 0, BATCH);
  }
}
