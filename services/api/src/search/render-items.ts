import type { Database, Statement } from '@ugc/shared/postgres/postgres';
import { unlessAborted } from '@ugc/shared/timing/timeouts';
import { jsonBytes } from '../content/item-limits.ts';
import type { Limits } from '../env.ts';
import type { Caller } from '../limits/caller.ts';
import { SMALL_RESPONSE_BYTES } from '../limits/traffic.ts';
import type { PageRenderer } from './page-renderer.ts';
import type { ItemData, PageRequest } from './render-page.ts';
import { pageTooLarge, type Session } from './session.ts';

export type RenderDeps = { database: Database; limits: Pick<Limits, 'PAGE_MAX_BYTES'>; pages: PageRenderer };
/** `response`: that of the search that has found the items; it must not be used afterwards. */
type FoundItems = { response: Buffer; request: Omit<PageRequest, 'shards' | 'data'>; caller: Caller };

/**
 * Renders the found items as JSON in UTF-8. Reads `data` from PostgreSQL if the index is without it.
 * @throws Problem 400 above PAGE_MAX_BYTES · 429 without memory for the page · DatabaseUnavailable · errors of `PageRenderer`
 */
export async function renderItems(
  { index, signal }: Session,
  deps: RenderDeps,
  { response, request, caller }: FoundItems,
): Promise<Buffer> {
  const isComplete = index.hasData || request.isSummary;
  const data = isComplete ? undefined : await readData(deps, { response, size: request.size, caller, signal });
  // The page is about as large as what it is made of.
  caller.reserveUnread(response.byteLength + (data?.bytes ?? 0));
  return deps.pages.render(response, { ...request, data, shards: index.shards }, () => caller.takeThread(signal));
}

/** `data` is null if the texts of all rows have more bytes than `$2`. */
type DataRow = { contentId: number; bytes: number; data: string | null };
// The length of a text that is stored apart is known without reading it.
const DATA: Statement = {
  name: 'page-data',
  text: `select content_id, octet_length(data) as bytes, case when sum(octet_length(data)) over () <= $2 then data end as data
    from content where content_id = any($1::bigint[])`,
};

type Wanted = { response: Buffer; size: number; caller: Caller; signal: AbortSignal };

/** Has memory for the texts before they are read. */
async function readData({ database, limits }: RenderDeps, { response, size, caller, signal }: Wanted): Promise<ItemData> {
  const maxBytes = limits.PAGE_MAX_BYTES;
  const ids = idsIn(response);
  const read = (upTo: number) => unlessAborted(signal, database.query<DataRow>(DATA, [ids, upTo]));
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
  // The texts may have grown since they were counted, and JSON escapes characters.
  const bytes = found.length < rows.length ? Infinity : found.reduce((sum, { data }) => sum + jsonBytes(data), 0);
  assertFits(bytes);
  memory.end(bytes);
  return { bytes, texts: new Map(found.map(({ contentId, data }) => [contentId, data])) };
}

function isRead(row: DataRow): row is DataRow & { data: string } {
  return row.data !== null;
}

// Parsing the response would take as long as rendering it. A quotation mark in a text is escaped, so no text matches.
const ID = /"_id"\s*:\s*"(\d+)"/g;

function idsIn(response: Buffer): number[] {
  return Array.from(response.toString('latin1').matchAll(ID), ([, id]) => Number(id));
}
