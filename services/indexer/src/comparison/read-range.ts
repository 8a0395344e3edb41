import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/stores/postgres';

type RangeDeps = { database: Database; elasticsearch: Elasticsearch; log: Log };
type Entry = { contentId: number; revision: number };

/** `last` is undefined at the end. `suspects` are the ids whose revisions seem to differ, `size` is the size of the range. */
export type Range = { last: number | undefined; suspects: number[]; size: number };

/**
 * Reads the next items, and the documents in the same range of ids, by the primary key and by a range query. The index
 * is not refreshed: a suspect may only have changed a moment ago.
 */
export async function readRange(deps: RangeDeps, indexName: string, after: number, limit: number): Promise<Range> {
  const rows = await readRows(deps.database, after, limit);
  const lastRow = rows.length === limit ? rows.at(-1)?.contentId : undefined;
  const hits = await readHits(deps.elasticsearch, indexName, { after, last: lastRow, limit });
  // With as many documents as the limit, further ones may follow before the last row.
  const last = hits.length === limit ? hits.at(-1)?.contentId : lastRow;
  const stored = rows.filter(({ contentId }) => contentId <= (last ?? Infinity));
  return { last, suspects: differingIds(stored, ownDocuments(deps.log, indexName, hits)), size: Math.max(stored.length, hits.length) };
}

function readRows(database: Database, after: number, limit: number): Promise<Entry[]> {
  return database.query<Entry>(`select content_id, revision from content where content_id > $1 order by content_id limit $2`, [
    after,
    limit,
  ]);
}

type Hit = Entry & { documentId: string };
type HitRange = { after: number; last: number | undefined; limit: number };

async function readHits(elasticsearch: Elasticsearch, indexName: string, { after, last, limit }: HitRange): Promise<Hit[]> {
  const { hits } = await elasticsearch.search({
    index: indexName,
    size: limit,
    query: { range: { contentId: { gt: after, ...(last !== undefined && { lte: last }) } } },
    sort: [{ contentId: 'asc' }],
    version: true,
    _source: false,
    track_total_hits: false,
    allow_partial_search_results: false,
  });
  return hits.hits.map((hit) => ({ documentId: hit._id ?? '', contentId: Number(hit.sort?.[0]), revision: hit._version ?? 0 }));
}

function ownDocuments(log: Log, indexName: string, hits: Hit[]): Entry[] {
  const strays = hits.filter(({ documentId, contentId }) => documentId !== String(contentId));
  if (strays.length > 0)
    log.error({ indexName, documentIds: strays.map(({ documentId }) => documentId).slice(0, 10) }, 'no part of this service wrote these documents: delete them'); // prettier-ignore
  return hits.filter((hit) => !strays.includes(hit));
}

function differingIds(rows: Entry[], documents: Entry[]): number[] {
  const stored = new Map(rows.map(({ contentId, revision }) => [contentId, revision]));
  const indexed = new Map(documents.map(({ contentId, revision }) => [contentId, revision]));
  const ids = [...new Set([...stored.keys(), ...indexed.keys()])];
  return ids.filter((id) => stored.get(id) !== indexed.get(id)).toSorted((a, b) => a - b);
}
