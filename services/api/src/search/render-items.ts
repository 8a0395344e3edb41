import type { Database, Statement } from '@ugc/shared/postgres/postgres';
import { unlessAborted } from '@ugc/shared/timing/timeouts';
import { setImmediate } from 'node:timers/promises';
import type { Limits } from '../env.ts';
import { Problem } from '@ugc/items/problems/problem';
import type { Caller } from '../limits/caller.ts';
import { SMALL_RESPONSE_BYTES } from '../limits/traffic.ts';
import { LONG_BYTES, ownMemory, type RunInThread } from '../limits/threads.ts';
import type { SearchedIndex } from './index-lookup.ts';
import { renderPage, type ItemData, type PageRequest } from './render-page.ts';
import { IndexMoved, pageTooLarge, SearchFailed } from './response.ts';

export type RenderDeps = { database: Database; limits: Pick<Limits, 'PAGE_MAX_BYTES'> };
/**
 * `response`: that of the search that has found the items; it must not be used afterwards. With `showsHidden`, hidden
 * items have their `data`.
 */
type FoundItems = {
  response: Buffer;
  request: Omit<PageRequest, 'shards' | 'publicDownloads' | 'data'>;
  caller: Caller;
  showsHidden?: boolean;
};
/** Of the search, and until when. */
type Found = { index: Pick<SearchedIndex, 'shards' | 'hasData' | 'publicDownloads'>; signal: AbortSignal };

/**
 * Renders the found items as JSON in UTF-8, a large page in a thread. Reads `data` from PostgreSQL if the index is without it.
 * @throws Problem 400 above PAGE_MAX_BYTES · 429 without memory for the page · DatabaseUnavailable · errors of `renderInThread`
 */
export async function renderItems(
  { index, signal }: Found,
  deps: RenderDeps,
  { response, request, caller, showsHidden = false }: FoundItems,
): Promise<Buffer> {
  const isComplete = index.hasData || request.isSummary;
  const data = isComplete ? undefined : await readData(deps, { response, size: request.size, showsHidden, caller, signal });
  // The page is about as large as what it is made of.
  const bytes = response.byteLength + (data?.bytes ?? 0) + lengthOf(request.names);
  caller.reserveUnread(bytes);
  const { shards, publicDownloads } = index;
  const page = { ...request, data, shards, publicDownloads };
  const rendered = bytes < LARGE_BYTES ? renderPage(response, page, MARKED_UNITS_MAX) : undefined;
  // Finding marks takes so much time from 64 KiB on.
  const isLong = request.highlighted !== undefined || bytes > LONG_BYTES;
  return rendered ?? renderInThread(response, page, await caller.takeThread(signal, { isLong }));
}

/** Moving a response to a thread takes about 1 ms, as long as rendering a page of this size. */
const LARGE_BYTES = 256 * 1_024;
/** Finding the marks in so many units of searched text takes up to 20 ms without the forms of words, which count more. */
const MARKED_UNITS_MAX = 32_768;

function lengthOf(names: PageRequest['names']): number {
  return [...(names?.values() ?? [])].flat().reduce((sum, name) => sum + name.length, 0);
}

/** @throws SearchFailed · IndexMoved · Problem 400, 503 */
async function renderInThread(bytes: Buffer, request: PageRequest, run: RunInThread): Promise<Buffer> {
  const moved = [...(request.data?.texts.values() ?? [])].map(({ buffer }) => buffer);
  const rendering = run<Uint8Array<ArrayBuffer> | undefined>({ task: 'renderPage', bytes, details: { request }, moved });
  const page = await rendering.catch((cause: unknown) => {
    throw cause instanceof Problem ? cause : new SearchFailed('rendering the page failed', { cause });
  });
  if (!page) throw new IndexMoved();
  return Buffer.from(page.buffer, page.byteOffset, page.byteLength);
}

/** `data` is null if the texts of all rows have more bytes than `$2`. */
type DataRow = { contentId: number; bytes: number; data: string | null };
// The length of a text that is stored apart is known without reading it. A hidden item keeps its texts.
const DATA: Statement = {
  name: 'page-data',
  text: `select content_id, octet_length(data) as bytes, case when sum(octet_length(data)) over () <= $2 then data end as data
    from (select content_id, case when deleted_at is null or $3 then data else '' end as data from content where content_id = any($1::bigint[])) c`,
};

type Wanted = { response: Buffer; size: number; showsHidden: boolean; caller: Caller; signal: AbortSignal };

/** Has memory for the texts before they are read. */
async function readData({ database, limits }: RenderDeps, { response, size, showsHidden, caller, signal }: Wanted): Promise<ItemData> {
  const maxBytes = limits.PAGE_MAX_BYTES;
  const ids = idsIn(response);
  const read = (upTo: number) => unlessAborted(signal, database.query<DataRow>(DATA, [ids, upTo, showsHidden]));
  const assertFits = (bytes: number): void => {
    if (response.byteLength + bytes > maxBytes) throw pageTooLarge(size, maxBytes);
  };
  const memory = await caller.reserveResponse(maxBytes, signal);
  let rows = await read(SMALL_RESPONSE_BYTES);
  if (!rows.every(isRead)) {
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    assertFits(bytes);
    await memory.reach(bytes);
    rows = await read(maxBytes);
  }
  const found = rows.filter(isRead);
  // The texts may have grown since they were counted.
  if (found.length < rows.length) throw pageTooLarge(size, maxBytes);
  const bytes = found.reduce((sum, row) => sum + row.bytes, 0);
  memory.end(bytes);
  const texts: ItemData['texts'] = new Map();
  for (const { contentId, data } of found) {
    // Encoding texts for a thread would block the event loop if other requests did not go first in between.
    if (bytes >= LARGE_BYTES) await setImmediate();
    texts.set(contentId, ownMemory(Buffer.from(data)));
  }
  return { bytes, texts, maxBytes };
}

function isRead(row: DataRow): row is DataRow & { data: string } {
  return row.data !== null;
}

// Parsing the response would take as long as rendering it. A quotation mark in a text is escaped, so no text matches.
const ID = '"_id":"';

function idsIn(response: Buffer): number[] {
  const ids: number[] = [];
  for (let at = response.indexOf(ID); at !== -1; at = response.indexOf(ID, at + 1)) {
    const first = at + ID.length;
    ids.push(Number(response.toString('latin1', first, response.indexOf('"', first))));
  }
  return ids;
}
