import type { Row } from '@ugc/shared/postgres/postgres';
import { unlessAborted } from '@ugc/shared/timing/timeouts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PublicDownloads } from '@ugc/items/changes/content-item';
import { HIDDEN_SUMMARY, hidingOf, type HiddenRow } from '@ugc/items/changes/hidden-content';
import type { Caller } from '../limits/caller.ts';
import { SMALL_RESPONSE_BYTES } from '../limits/traffic.ts';
import { startDeadline } from './deadline.ts';
import type { ListParameters } from './parameters.ts';
import { renderItems, type RenderDeps } from './render-items.ts';
import { pageTooLarge } from './response.ts';
import type { SearchSource } from './session.ts';
import type { Declared } from './where.ts';

type HiddenList = Pick<ListParameters, 'page' | 'size' | 'include' | 'fields'> &
  Declared & {
    /** Only the hidden items of this user; undefined for moderators. */
    creatorId: number | undefined;
  };
type Deps = Pick<RenderDeps, 'database'> & Pick<SearchSource, 'limits'> & { publicDownloads?: PublicDownloads };
type Key = { contentId: number; bytes: number };
type SummaryRow = Omit<HiddenRow, 'data'>;

/**
 * A page of the hidden items, the newest hidden first, as JSON in UTF-8. It is read from PostgreSQL, since the index has
 * nothing of them, and rendered as other lists are.
 * @throws Problem 400 above PAGE_MAX_BYTES · 429 without memory for the page · errors of `renderItems`
 */
export async function listHidden(deps: Deps, list: HiddenList, caller: Caller): Promise<Buffer> {
  const { signal, end } = startDeadline(caller.disconnected, deps.limits.LIST_TIMEOUT_MS);
  return readHidden(deps, list, caller, signal).finally(end);
}

async function readHidden(
  deps: Deps,
  { page, size, include, fields, creatorId, declared }: HiddenList,
  caller: Caller,
  signal: AbortSignal,
): Promise<Buffer> {
  const maxBytes = deps.limits.PAGE_MAX_BYTES;
  const read = <T extends Row>(statement: string, values: unknown[]) => unlessAborted(signal, deps.database.query<T>(statement, values));
  const whose = creatorId === undefined ? 'true' : 'h.creator_id = $1';
  const values = creatorId === undefined ? [] : [creatorId];
  const [{ count: total } = { count: 0 }] = await read<{ count: number }>(`select count(*) from hidden_content h where ${whose}`, values);
  const memory = await caller.reserveResponse(maxBytes, signal);
  const keys = await read<Key>(
    `select p.content_id, octet_length(c.description) + pg_column_size(c.fields) as bytes
     from (select * from hidden_content h where ${whose} order by h.hidden_at desc, h.content_id desc offset ${page * size} limit ${size}) p
     join content c on c.content_id = p.content_id`,
    values,
  );
  const bytes = keys.reduce((sum, key) => sum + key.bytes, 0);
  if (bytes > maxBytes) throw pageTooLarge(size, maxBytes);
  await memory.reach(bytes);
  const rows = await read<SummaryRow>(
    `select ${HIDDEN_SUMMARY} from hidden_content h
     join content c on c.content_id = h.content_id join users u on u.user_id = c.creator_id
     where h.content_id = any($1::bigint[]) order by h.hidden_at desc, h.content_id desc`,
    [keys.map(({ contentId }) => contentId)],
  );
  const response = await toResponse(rows, size, maxBytes);
  memory.end(response.byteLength);
  const request = { page, size, total, include, declared, isSummary: fields === 'summary' };
  const index = { ...NOT_INDEXED, publicDownloads: deps.publicDownloads ?? 'all' };
  return renderItems({ index, signal }, deps, { response, request, caller, showsHidden: true });
}

/** The rows are rendered like the response of a search of one shard that is without `data` of the items. */
const NOT_INDEXED = { shards: 1, hasData: false };
const BEFORE_HITS = Buffer.from('{"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"hits":[');
const AFTER_HITS = Buffer.from(']}}');

/**
 * Takes several turns of the event loop, so that many long descriptions do not block it.
 * @throws Problem 400 above `maxBytes`: JSON escapes characters
 */
async function toResponse(rows: SummaryRow[], size: number, maxBytes: number): Promise<Buffer> {
  const hits: Buffer[] = [];
  let [bytes, sinceTurn] = [0, 0];
  for (const { hiddenAt, reason, fields: values, ...row } of rows) {
    const source = { ...row, values, hidden: hidingOf({ hiddenAt, reason }) };
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
