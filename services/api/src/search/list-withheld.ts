import type { Row } from '@ugc/shared/postgres/postgres';
import { unlessAborted } from '@ugc/shared/timing/timeouts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withheldMarks, WITHHELD_FACTS, type WithheldFacts } from '@ugc/items/changes/withheld-content';
import type { PublicDownloads } from '@ugc/items/changes/content-item';
import { STORED_SUMMARY, type StoredContent } from '@ugc/shared/contracts/content';
import { rowIsHidden, rowIsKept } from '@ugc/shared/contracts/hidden';
import type { Caller } from '../limits/caller.ts';
import { SMALL_RESPONSE_BYTES } from '../limits/traffic.ts';
import { startDeadline } from './deadline.ts';
import type { ListParameters } from './parameters.ts';
import { renderItems, type RenderDeps } from './render-items.ts';
import { pageTooLarge } from './response.ts';
import type { SearchSource } from './session.ts';
import type { Declared } from './where.ts';

/**
 * `moderation`: what moderators and blocks have hidden. `review`: what waits for a moderator; for a creator, also what was
 * refused. `own`: all items of a creator.
 */
export type WithheldKind = 'moderation' | 'review' | 'own';
export type WithheldOrder = 'newest' | 'oldest';

type WithheldList = Pick<ListParameters, 'page' | 'size' | 'include' | 'fields'> &
  Declared & {
    kind: WithheldKind;
    order: WithheldOrder;
    /** Only the items of this user; undefined for moderators. */
    creatorId: number | undefined;
  };
type Deps = Pick<RenderDeps, 'database'> & Pick<SearchSource, 'limits'> & { publicDownloads?: PublicDownloads };
type Key = { contentId: number; bytes: number };
type SummaryRow = Omit<StoredContent, 'data'> & WithheldFacts;

const IS_OWN = 'x.creator_id = $1';
/** It is asked as a range: the order by the id alone would read the whole table for a creator whose items are old. */
const IS_OWN_IN_ORDER = `(x.creator_id, x.content_id) >= ($1, 0) and (x.creator_id, x.content_id) <= ($1, ${Number.MAX_SAFE_INTEGER})`;

/** The rows of each list, as `x`, and what they are ordered by before the id. `counted`: no more of them than this and one. */
type List = { table: string; where: string; whereOwn: string; by: string[]; counted?: number };
const COUNTED_MAX = 10_000;
const LISTS: Record<WithheldKind, List> = {
  moderation: { table: 'hidden_content', where: 'true', whereOwn: IS_OWN, by: ['hidden_at'] },
  review: {
    table: 'unpublished_content',
    where: `x.kind = 'review' and x.refused_at is null and not ${rowIsHidden('x')}`,
    whereOwn: `${IS_OWN} and x.kind = 'review'`,
    by: ['since'],
    counted: COUNTED_MAX,
  },
  own: { table: 'content', where: 'false', whereOwn: `${IS_OWN_IN_ORDER} and ${rowIsKept('x')}`, by: ['creator_id'], counted: COUNTED_MAX },
};

/**
 * A page of items that lists do not show, or of one creator's, as JSON in UTF-8. It is read from PostgreSQL, since the index
 * has nothing of them, and rendered as other lists are.
 * @throws Problem 400 above PAGE_MAX_BYTES · 429 without memory or a turn for the page · errors of `renderItems`
 */
export async function listWithheld(deps: Deps, list: WithheldList, caller: Caller): Promise<Buffer> {
  const { signal, end } = startDeadline(caller.disconnected, deps.limits.LIST_TIMEOUT_MS);
  let running: Promise<unknown> = Promise.resolve();
  const read: Read = <T extends Row>(statement: string, values: unknown[]) => {
    const rows = deps.database.query<T>(statement, values);
    running = rows;
    return unlessAborted(signal, rows);
  };
  try {
    const turn = list.page * list.size < DEEP_FROM ? undefined : await caller.takeDeepPage(signal);
    // A statement does not end when the client leaves.
    const release = (): void => void running.catch(() => undefined).finally(() => turn?.release());
    return await readWithheld({ ...deps, read }, list, caller, signal).finally(release);
  } finally {
    end();
  }
}

/** PostgreSQL reads all items that come before those of a page. */
const DEEP_FROM = 1_000;

type Read = <T extends Row>(statement: string, values: unknown[]) => Promise<T[]>;

async function readWithheld(deps: Deps & { read: Read }, list: WithheldList, caller: Caller, signal: AbortSignal): Promise<Buffer> {
  const { page, size, include, fields, creatorId, declared } = list;
  const { read } = deps;
  const maxBytes = deps.limits.PAGE_MAX_BYTES;
  const { from, by, counted } = partsOf(list);
  const values = creatorId === undefined ? [] : [creatorId];
  const all = counted === undefined ? from : `from (select ${from} order by ${by} limit ${counted + 1}) x`;
  const [{ count } = { count: 0 }] = await read<{ count: number }>(`select count(*) ${all}`, values);
  const memory = await caller.reserveResponse(maxBytes, signal);
  const found = await read<Key>(
    `select x.content_id, octet_length(c.description) + pg_column_size(c.fields) as bytes
     from (select x.* ${from} order by ${by} offset ${page * size} limit ${size + 1}) x
     join content c on c.content_id = x.content_id order by ${by}`,
    values,
  );
  const keys = found.slice(0, size);
  const isMore = counted !== undefined && count > counted && found.length > 0;
  const total = isMore ? Math.max(count, page * size + found.length) : count;
  const bytes = keys.reduce((sum, key) => sum + key.bytes, 0);
  if (bytes > maxBytes) throw pageTooLarge(size, maxBytes);
  await memory.reach(bytes);
  const rows = await read<SummaryRow>(
    `select ${STORED_SUMMARY}, ${WITHHELD_FACTS} from content c join users u on u.user_id = c.creator_id
       left join hidden_content h on h.content_id = c.content_id left join unpublished_content p on p.content_id = c.content_id
     where c.content_id = any($1::bigint[]) and ${rowIsKept('c')} order by array_position($1::bigint[], c.content_id)`,
    [keys.map(({ contentId }) => contentId)],
  );
  const response = await toResponse(rows, { size, maxBytes, isOwn: creatorId !== undefined });
  memory.end(response.byteLength);
  const request = { page, size, total, include, declared, isSummary: fields === 'summary' };
  const index = { ...NOT_INDEXED, publicDownloads: deps.publicDownloads ?? 'all' };
  return renderItems({ index, signal }, deps, { response, request, caller, showsHidden: true });
}

type Parts = { from: string; by: string; counted: number | undefined };

function partsOf({ kind, order, creatorId }: Pick<WithheldList, 'kind' | 'order' | 'creatorId'>): Parts {
  const { table, where, whereOwn, by, counted } = LISTS[kind];
  const direction = order === 'newest' ? 'desc' : 'asc';
  const columns = [...by, 'content_id'].map((column) => `x.${column} ${direction}`);
  return { from: `from ${table} x where ${creatorId === undefined ? where : whereOwn}`, by: columns.join(', '), counted };
}

/** The rows are rendered like the response of a search of one shard that is without `data` of the items. */
const NOT_INDEXED = { shards: 1, hasData: false };
const BEFORE_HITS = Buffer.from('{"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"hits":[');
const AFTER_HITS = Buffer.from(']}}');

type ResponseRules = { size: number; maxBytes: number; isOwn: boolean };

/**
 * Takes several turns of the event loop, so that many long descriptions do not block it.
 * @throws Problem 400 above `maxBytes`: JSON escapes characters
 */
async function toResponse(rows: SummaryRow[], { size, maxBytes, isOwn }: ResponseRules): Promise<Buffer> {
  const hits: Buffer[] = [];
  let [bytes, sinceTurn] = [0, 0];
  for (const row of rows) {
    const source = { ...row, fields: undefined, values: row.fields, ...withheldMarks(row, isOwn) };
    const hit = Buffer.from(`${hits.length > 0 ? ',' : ''}${JSON.stringify({ _id: String(row.contentId), _source: source })}`);
    hits.push(hit);
    bytes += hit.byteLength;
    sinceTurn += hit.byteLength;
    if (bytes > maxBytes) throw pageTooLarge(size, maxBytes);
    if (sinceTurn < SMALL_RESPONSE_BYTES) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  return Buffer.concat([BEFORE_HITS, ...hits, AFTER_HITS]);
}
