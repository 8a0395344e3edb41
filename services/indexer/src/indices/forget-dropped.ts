import { forgetDropped, listDropped } from '@ugc/shared/outbox/dropped';
import { readRevisions, type IndexDeps } from './indices.ts';

const BATCH = 500;

/** What was dropped because one index refused it, another may have taken since: once that one is searched, nothing is missing. */
export async function forgetIndexedDropped({ database, elasticsearch }: IndexDeps, indexName: string): Promise<void> {
  for (let batch = await listDropped(database, 0, BATCH); batch.length > 0;) {
    const ids = batch.map((item) => item.content_id);
    const indexed = await readRevisions(elasticsearch, indexName, ids);
    const taken = batch.filter(({ content_id: id, revision }) => (indexed.get(id) ?? 0) >= revision);
    if (taken.length > 0) await forgetDropped(database, taken);
    batch = await listDropped(database, ids.at(-1) ?? 0, BATCH);
  }
}
