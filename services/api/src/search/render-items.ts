import type { Database, Statement } from '@ugc/shared/stores/postgres';
import { unlessAborted } from '@ugc/shared/timing/unless-aborted';
import { jsonBytes } from '../content/json-bytes.ts';
import type { Limits } from '../env.ts';
import type { Caller } from '../limits/caller.ts';
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

// The length of a text that is stored apart is known without reading it.
const SIZE: Statement = {
  name: 'data-size',
  text: `select coalesce(sum(octet_length(data)), 0)::bigint as bytes from content where content_id = any($1::bigint[])`,
};
const DATA: Statement = { name: 'data', text: `select content_id, data from content where content_id = any($1::bigint[])` };

type Wanted = { response: Buffer; size: number; caller: Caller; signal: AbortSignal };

/** Has memory for the texts before they are read. */
async function readData({ database, limits }: RenderDeps, { response, size, caller, signal }: Wanted): Promise<ItemData> {
  const ids = idsIn(response);
  const assertFits = (bytes: number): void => {
    if (response.byteLength + bytes > limits.PAGE_MAX_BYTES) throw pageTooLarge(size, limits.PAGE_MAX_BYTES);
  };
  const memory = await caller.reserveResponse(limits.PAGE_MAX_BYTES, signal);
  const [total] = await unlessAborted(signal, database.query<{ bytes: number }>(SIZE, [ids]));
  assertFits(total?.bytes ?? 0);
  await memory.reach(total?.bytes ?? 0);
  const rows = await unlessAborted(signal, database.query<{ contentId: number; data: string }>(DATA, [ids]));
  const bytes = rows.reduce((sum, { data }) => sum + jsonBytes(data), 0);
  assertFits(bytes);
  memory.end(bytes);
  return { bytes, texts: new Map(rows.map(({ contentId, data }) => [contentId, data])) };
}

// Parsing the response would take as long as rendering it. A quotation mark in a text is escaped, so no text matches.
const ID = /"_id"\s*:\s*"(\d+)"/g;

function idsIn(response: Buffer): number[] {
  return Array.from(response.toString('latin1').matchAll(ID), ([, id]) => Number(id));
}
