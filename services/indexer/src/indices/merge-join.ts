import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { refreshIndex } from '@ugc/shared/indices/refresh-index';
import type { Database } from '@ugc/shared/stores/postgres';
import { countContent, type Progress } from './fill.ts';
import { RebuildError, type IndexDeps } from './target-indices.ts';

export type CompareDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'signal'>;

const PAGE = 5_000;
/** Between two pages the caller may repair thousands of differences. */
const PIT_KEEP_ALIVE = '10m';

type Entry = { contentId: number; revision: number };

/** Yields the content IDs whose revisions differ, in ascending order: a merge join, which needs constant memory. */
export async function* listDifferingIds(deps: CompareDeps, indexName: string, progress: Progress): AsyncGenerator<number> {
  const rows = readRows(deps, progress);
  const documents = readDocuments(deps.elasticsearch, indexName);
  try {
    yield* merge(rows, documents);
  } finally {
    // One side may not have ended, and an open point in time holds resources of Elasticsearch.
    await rows.return(undefined);
    await documents.return(undefined);
  }
}

async function* merge(rows: AsyncGenerator<Entry>, documents: AsyncGenerator<Entry>): AsyncGenerator<number> {
  let row = await take(rows);
  let document = await take(documents);
  while (row !== END || document !== END) {
    const contentId = Math.min(row.contentId, document.contentId);
    if (row.contentId !== document.contentId || row.revision !== document.revision) yield contentId;
    if (row.contentId === contentId) row = await take(rows);
    if (document.contentId === contentId) document = await take(documents);
  }
}

const END: Entry = { contentId: Infinity, revision: 0 };

async function take(entries: AsyncGenerator<Entry>): Promise<Entry> {
  const { value, done } = await entries.next();
  return done ? END : value;
}

async function* readRows({ database, signal }: CompareDeps, progress: Progress): AsyncGenerator<Entry> {
  const total = await countContent(database);
  let done = 0;
  // Another page after the last one could follow uploads forever. Later items are in the outbox.
  for (let after = 0, more = true; more;) {
    signal.throwIfAborted();
    const page = await readPage(database, after);
    yield* page;
    more = page.length === PAGE;
    after = page.at(-1)?.contentId ?? 0;
    done += page.length;
    progress('Comparing', done, Math.max(done, total));
  }
}

function readPage(database: Database, afterContentId: number): Promise<Entry[]> {
  return database.query<Entry>(`select content_id, revision from content where content_id > $1 order by content_id limit ${PAGE}`, [
    afterContentId,
  ]);
}

async function* readDocuments(elasticsearch: Elasticsearch, indexName: string): AsyncGenerator<Entry> {
  await refreshIndex(elasticsearch, indexName);
  let { id } = await elasticsearch.openPointInTime({ index: indexName, keep_alive: PIT_KEEP_ALIVE });
  try {
    for (let after: Entry | undefined, more = true; more;) {
      const { hits, pit_id: nextId } = await elasticsearch.search({
        pit: { id, keep_alive: PIT_KEEP_ALIVE },
        size: PAGE,
        sort: [{ contentId: 'asc' }],
        ...(after && { search_after: [after.contentId] }),
        version: true,
        _source: false,
        track_total_hits: false,
        allow_partial_search_results: false,
      });
      id = nextId ?? id;
      const page = hits.hits.map((hit) => ({ contentId: contentIdOf(indexName, hit._id), revision: hit._version ?? 0 }));
      yield* page;
      after = page.at(-1);
      more = page.length === PAGE;
    }
  } finally {
    // It expires by itself, and an error thrown here would hide an earlier one.
    await elasticsearch.closePointInTime({ id }).catch(() => undefined);
  }
}

function contentIdOf(indexName: string, documentId = ''): number {
  if (/^\d{1,15}$/.test(documentId)) return Number(documentId);
  throw new RebuildError(
    `the ID of document ${JSON.stringify(documentId)} in ${indexName} is not a content ID; no part of this service wrote it: delete it`,
  );
}
