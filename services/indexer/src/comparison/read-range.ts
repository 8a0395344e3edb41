import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Database } from '@ugc/shared/postgres/postgres';
import { IS_IN_WINDOW, windowEnd } from '../documents/item-window.ts';

type RangeDeps = { database: Database; elasticsearch: Elasticsearch };
/** `isShown`: the row is that of a public item, or the document is no tombstone. */
type Entry = { contentId: number; revision: number; isShown: boolean };

/**
 * `last` is undefined at the end. `suspects` are the ids whose states seem to differ, ascending. `strays` are the IDs
 * of documents that no part of this service wrote. `size` is the number of items or of documents, whichever is larger.
 */
export type Range = { last: number | undefined; suspects: number[]; strays: string[]; size: number };

/**
 * Reads the next items by the primary key, and the documents between the same ids by a range query: an index sorted by
 * date finds the documents after an id only by reading all of them. The index is not refreshed, and both sides change
 * meanwhile, so each suspect has to be confirmed.
 * @param limit the greatest number of items, and of documents
 */
export async function readRange({ database, elasticsearch }: RangeDeps, indexName: string, after: number, limit: number): Promise<Range> {
  const end = await windowEnd(database, after);
  const rows = await readRows(database, { after, end, limit });
  const lastRow = rows.length === limit ? rows.at(-1)?.contentId : end;
  const hits = await readHits(elasticsearch, indexName, { after, last: lastRow, limit });
  // With as many documents as the limit, further ones may follow before the last row.
  const last = hits.length === limit ? lastContentId(hits) : lastRow;
  const stored = rows.filter(({ contentId }) => contentId <= (last ?? Infinity));
  return {
    last,
    suspects: differingIds(stored, hits.filter(isOwn)),
    strays: hits.filter((hit) => !isOwn(hit)).map(({ documentId }) => documentId),
    size: Math.max(stored.length, hits.length),
  };
}

/** The index should have nothing of an item that was never public; a document of one is found from its side. */
function readRows(database: Database, { after, end, limit }: { after: number; end: number | undefined; limit: number }): Promise<Entry[]> {
  return database.query<Entry>(
    `select content_id, revision, deleted_at is null as is_shown from content c where ${IS_IN_WINDOW} order by content_id limit $3`,
    [after, end ?? null, limit],
  );
}

type Hit = Entry & { documentId: string };
type HitRange = { after: number; last: number | undefined; limit: number };

async function readHits(elasticsearch: Elasticsearch, indexName: string, { after, last, limit }: HitRange): Promise<Hit[]> {
  const { hits } = await elasticsearch.search({
    index: indexName,
    size: limit,
    query: last === undefined ? exceptUpTo(after) : { range: { contentId: { gt: after, lte: last } } },
    sort: [{ contentId: 'asc' }],
    version: true,
    _source: false,
    docvalue_fields: ['deleted'],
    track_total_hits: false,
    allow_partial_search_results: false,
  });
  return hits.hits.map((hit) => ({
    documentId: hit._id ?? '',
    contentId: Number(hit.sort?.[0]),
    revision: hit._version ?? 0,
    isShown: hit.fields?.['deleted']?.[0] !== true,
  }));
}

/** Whether this service may have written the document. */
function isOwn({ documentId, contentId }: Hit): boolean {
  return documentId === String(contentId);
}

/** Documents without a content ID are read at the end. Their sort value is the greatest of all. */
function exceptUpTo(after: number) {
  return { bool: { must_not: { range: { contentId: { lte: after } } } } };
}

function lastContentId(hits: Hit[]): number | undefined {
  const last = hits.at(-1)?.contentId;
  return Number.isSafeInteger(last) ? last : undefined;
}

function differingIds(rows: Entry[], documents: Entry[]): number[] {
  const stored = new Map(rows.map((row) => [row.contentId, row]));
  const indexed = new Map(documents.map((document) => [document.contentId, document]));
  const ids = [...new Set([...stored.keys(), ...indexed.keys()])];
  return ids.filter((id) => !isSame(stored.get(id), indexed.get(id))).toSorted((a, b) => a - b);
}

function isSame(row: Entry | undefined, document: Entry | undefined): boolean {
  return row?.revision === document?.revision && row?.isShown === document?.isShown;
}

/** The items that an index has. Only progress uses it. @returns 0 if the count exceeds the statement timeout */
export async function countContent(database: Database, afterContentId = 0): Promise<number> {
  const counting = database.query<{ count: number }>(
    `select (select count(*) from content where content_id > $1)
       - (select count(*) from unpublished_content where content_id > $1 and not was_public) as count`,
    [afterContentId],
  );
  const [row] = await counting.catch(() => []);
  return row?.count ?? 0;
}
