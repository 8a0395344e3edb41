import { setImmediate as nextTurn } from 'node:timers/promises';
import { HIDDEN_CONTENT, toHiddenItem, type HiddenRow } from '../content/hidden-content.ts';
import type { Caller } from '../limits/caller.ts';
import { SMALL_RESPONSE_BYTES } from '../limits/traffic.ts';
import { toPage } from './page.ts';
import type { ListParameters } from './parameters.ts';
import { startDeadline, type SearchSource } from './session.ts';
import { pageTooLarge } from './response.ts';
import type { RenderDeps } from './render-items.ts';

type HiddenList = Pick<ListParameters, 'page' | 'size'> & {
  /** Only the hidden items of this user; undefined for moderators. */
  creatorId: number | undefined;
};
type Deps = Pick<RenderDeps, 'database'> & Pick<SearchSource, 'limits'>;
type Key = { contentId: number; bytes: number };

/**
 * A page of the hidden items, the newest hidden first, as JSON in UTF-8. It is read from PostgreSQL, since the index has
 * nothing of them.
 * @throws Problem 400 above PAGE_MAX_BYTES · 429 without memory for the page
 */
export async function listHidden(deps: Deps, list: HiddenList, caller: Caller): Promise<Buffer> {
  const { signal, end } = startDeadline(caller.disconnected, deps.limits.LIST_TIMEOUT_MS);
  return readHidden(deps, list, caller, signal).finally(end);
}

async function readHidden(
  { database, limits }: Deps,
  { page, size, creatorId }: HiddenList,
  caller: Caller,
  signal: AbortSignal,
): Promise<Buffer> {
  const whose = creatorId === undefined ? 'true' : 'h.creator_id = $1';
  const values = creatorId === undefined ? [] : [creatorId];
  const [{ count: total } = { count: 0 }] = await database.query<{ count: number }>(
    `select count(*) from hidden_content h where ${whose}`,
    values,
  );
  const keys = await database.query<Key>(
    `select p.content_id, octet_length(c.data) + octet_length(c.description) as bytes
     from (select * from hidden_content h where ${whose} order by h.hidden_at desc, h.content_id desc offset ${page * size} limit ${size}) p
     join content c on c.content_id = p.content_id`,
    values,
  );
  const bytes = keys.reduce((sum, key) => sum + key.bytes, 0);
  if (bytes > limits.PAGE_MAX_BYTES) throw pageTooLarge(size, limits.PAGE_MAX_BYTES);
  const memory = await caller.reserveResponse(limits.PAGE_MAX_BYTES, signal);
  await memory.reach(bytes);
  caller.reserveUnread(bytes);
  const rows = await database.query<HiddenRow>(
    `select ${HIDDEN_CONTENT} from hidden_content h
     join content c on c.content_id = h.content_id join users u on u.user_id = c.creator_id
     where h.content_id = any($1::bigint[]) order by h.hidden_at desc, h.content_id desc`,
    [keys.map(({ contentId }) => contentId)],
  );
  const { content: _, ...rest } = toPage(rows, { number: page, size, total });
  const items = await serialize(rows, () => pageTooLarge(size, limits.PAGE_MAX_BYTES), limits.PAGE_MAX_BYTES);
  return Buffer.from(`{"content":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`);
}

/** Takes several turns of the event loop, so that large items do not block it. JSON escapes characters: a page may grow. */
async function serialize(rows: HiddenRow[], refuse: () => Error, maxLength: number): Promise<string[]> {
  const items: string[] = [];
  let [length, sinceTurn] = [0, 0];
  for (const row of rows) {
    const item = JSON.stringify(toHiddenItem(row));
    items.push(item);
    length += item.length;
    sinceTurn += item.length;
    if (length > maxLength) throw refuse();
    if (sinceTurn < SMALL_RESPONSE_BYTES) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  return items;
}
