import { readExpectedItems, type ExpectedItem as Stored } from '@ugc/shared/outbox/item-states';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Database } from '@ugc/shared/stores/postgres';
import { readRevisions, type IndexDeps } from './indices.ts';
import { countContent, type Progress } from './fill.ts';
import { RebuildError } from './rebuild-error.ts';

/** How an index differs from PostgreSQL in one item that nothing is on its way for. */
export type Difference = {
  contentId: number;
  /**
   * Not in the index · older there · newer there, as after a restore of PostgreSQL · only there · missing or older there because an
   * operator dropped the change, which is no fault.
   */
  difference: 'missing' | 'stale' | 'ahead' | 'orphaned' | 'dropped';
  /** Of PostgreSQL; null when the item is not there. */
  revision: number | null;
  /** Of the index; null when the item is not there. */
  indexedRevision: number | null;
};

type CompareDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'signal'>;

/** One audit at a time. */
export const AUDIT_LOCK = 7_316_204_119;

const PAGE = 5_000;
const CONFIRM_AT_ONCE = 500;
/** Between two pages lies what is done about thousands of differences. */
const PIT_KEPT_FOR = '10m';

/**
 * Walks PostgreSQL (by key) and an index (a point in time, search_after) side by side and yields where they differ. Memory is
 * constant. Both change meanwhile, so what looks like a difference is looked at once more before it counts.
 */
export async function* compareIndex(deps: CompareDeps, indexName: string, progress: Progress): AsyncGenerator<Difference> {
  let suspects: number[] = [];
  for await (const contentId of walkBoth(deps, indexName, progress)) {
    suspects.push(contentId);
    if (suspects.length < CONFIRM_AT_ONCE) continue;
    yield* await confirm(deps, indexName, suspects);
    suspects = [];
  }
  yield* await confirm(deps, indexName, suspects);
}

type Entry = { contentId: number; revision: number };

/** A sorted merge of both: yields the ids whose revisions differ. */
async function* walkBoth(deps: CompareDeps, indexName: string, progress: Progress): AsyncGenerator<number> {
  const rows = readRows(deps, progress);
  const documents = readDocuments(deps.elasticsearch, indexName);
  try {
    yield* merge(rows, documents);
  } finally {
    // Whoever stops, fails or is stopped: one side may not have come to its end then, and the documents hold a point in time.
    await rows.return(undefined);
    await documents.return(undefined);
  }
}

async function* merge(rows: AsyncGenerator<Entry>, documents: AsyncGenerator<Entry>): AsyncGenerator<number> {
  let row = await take(rows);
  let document = await take(documents);
  while (row !== END || document !== END) {
    const contentId = Math.min(row.contentId, document.contentId);
    const isStored = row.contentId === contentId;
    const isIndexed = document.contentId === contentId;
    if (row.contentId !== document.contentId || row.revision !== document.revision) yield contentId;
    if (isStored) row = await take(rows);
    if (isIndexed) document = await take(documents);
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
  for (let page = await readPage(database, 0); page.length > 0; page = await readPage(database, page.at(-1)?.contentId ?? 0)) {
    signal.throwIfAborted();
    yield* page;
    done += page.length;
    progress('Comparing', done, Math.max(done, total));
  }
}

function readPage(database: Database, afterContentId: number): Promise<Entry[]> {
  return database.query<Entry>(
    `select content_id as "contentId", revision from content where content_id > $1 order by content_id limit ${PAGE}`,
    [afterContentId],
  );
}

async function* readDocuments(elasticsearch: Elasticsearch, indexName: string): AsyncGenerator<Entry> {
  await elasticsearch.indices.refresh({ index: indexName });
  let { id } = await elasticsearch.openPointInTime({ index: indexName, keep_alive: PIT_KEPT_FOR });
  try {
    for (let after: Entry | undefined, more = true; more;) {
      const { hits, pit_id: nextId } = await elasticsearch.search({
        pit: { id, keep_alive: PIT_KEPT_FOR },
        size: PAGE,
        sort: [{ contentId: 'asc' }],
        ...(after && { search_after: [after.contentId] }),
        version: true,
        _source: false,
        track_total_hits: false,
        allow_partial_search_results: false,
      });
      id = nextId ?? id;
      const page = hits.hits.map((hit) => ({ contentId: itemOf(indexName, hit._id), revision: hit._version ?? 0 }));
      yield* page;
      after = page.at(-1);
      more = page.length === PAGE;
    }
  } finally {
    // It ends by itself, later. What went wrong before says more than that it can't be closed.
    await elasticsearch.closePointInTime({ id }).catch(() => undefined);
  }
}

function itemOf(indexName: string, documentId = ''): number {
  if (/^\d{1,15}$/.test(documentId)) return Number(documentId);
  throw new RebuildError(
    `the document ${JSON.stringify(documentId)} of ${indexName} is no item's; nobody but a person can have put it there: delete it`,
  );
}

/** Counts only what was the same in PostgreSQL, and not on its way, before and after the look into the index. */
async function confirm(deps: CompareDeps, indexName: string, contentIds: number[]): Promise<Difference[]> {
  if (contentIds.length === 0) return [];
  const before = await readStored(deps.database, contentIds);
  const indexed = await readRevisions(deps.elasticsearch, indexName, contentIds);
  const after = await readStored(deps.database, contentIds);
  return contentIds
    .filter((id) => isSettled(before.get(id), after.get(id)))
    .map((id) => differenceOf(id, after.get(id), indexed.get(id)))
    .filter((difference) => difference !== undefined);
}

async function readStored(database: Database, contentIds: number[]): Promise<Map<number, Stored>> {
  const rows = await readExpectedItems(database, contentIds);
  return new Map(rows.map((row) => [row.contentId, row]));
}

function isSettled(before: Stored | undefined, after: Stored | undefined): boolean {
  return before?.pending === false && after?.pending === false && before.revision === after.revision;
}

function differenceOf(contentId: number, stored: Stored | undefined, indexedRevision: number | null = null): Difference | undefined {
  const revision = stored?.revision ?? null;
  const difference = revision === null ? orphanOf(indexedRevision) : compareRevisions({ ...stored, revision }, indexedRevision);
  return difference && { contentId, difference, revision, indexedRevision };
}

function orphanOf(indexedRevision: number | null): 'orphaned' | undefined {
  return indexedRevision === null ? undefined : 'orphaned';
}

type Live = Partial<Stored> & { revision: number };

function compareRevisions({ revision, deleted, dropped }: Live, indexedRevision: number | null): Difference['difference'] | undefined {
  if (revision === indexedRevision) return undefined;
  if (indexedRevision !== null && indexedRevision > revision) return 'ahead';
  // Of a deleted item there may be nothing left to delete.
  if (indexedRevision === null && deleted) return undefined;
  if (dropped) return 'dropped';
  return indexedRevision === null ? 'missing' : 'stale';
}
