import type { estypes } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import { parseComplete, totalOf } from '../response.ts';
import type { Query, Session } from '../session.ts';

import { between, keysOf, minScore, reverse } from './sections.ts';
import { isScore, seek, type Bracket, type RankRange } from './seek.ts';
import { haveTooMany, needsTimes, teachesTimes, timeOrder, timesIn, withinTimes, type TimeOrder, type Times } from './times.ts';

/**
 * What a process knows of lists, by their preference. `isLong`: whether a list had more than `Depths.counted` items when it was
 * read last; the others: the times of a page of it in this order.
 */
export type KnownLists = LRUCache<string, KnownList>;
type KnownList = { isLong?: boolean } & Partial<Record<TimeOrder, Times | undefined>>;

const MAX_REMEMBERED = 1_000;

export function createKnownLists(): KnownLists {
  return new LRUCache({ max: MAX_REMEMBERED });
}

/**
 * The position and the size of a page in a sorted list. The last key of the sort is unique. `counted` matches the same items
 * as `query`, and has nothing that only ranks: the total of a prompt is then kept for all its pages and orders. `isShared`:
 * whether many users read the list; Elasticsearch then keeps the hits of a page near its beginning until a refresh changes
 * the index. Without `hasTotal`, the items are counted up to one behind the page, which tells whether it is the last one.
 */
export type PageSearch = {
  query: Query;
  counted: Query;
  sort: estypes.SortCombinations[];
  from: number;
  size: number;
  preference: string;
  knownLists: KnownLists;
  isShared: boolean;
  hasTotal: boolean;
  /** The time of the place behind which `query` begins, in milliseconds. */
  afterMs?: number | undefined;
  /** The fields of the items that are read; all by default. */
  _source?: estypes.SearchSourceConfig;
};

/**
 * The response contains the items of the page, in the opposite order if `reversed`. It contains the total, as far as it
 * was counted, if `total` is undefined. With `order`, the items are to be in the order of these ids; with `names`, these tell
 * which clauses of the query the items match, by their ids, and not the response.
 */
export type FoundPage = { response: Buffer; total?: number; reversed?: boolean; order?: number[]; names?: Map<number, string[]> };

/** The response without items takes about 250 bytes. */
const EMPTY_MAX_BYTES = 4_096;

/** Whether the list has no items, on whatever page. @throws as `parseComplete` */
export function isEmptyPage({ response, total }: FoundPage, shards: number): boolean {
  if (total !== undefined) return total === 0;
  return response.byteLength < EMPTY_MAX_BYTES && totalOf(parseComplete(response, shards).hits) === 0;
}

export type Depths = {
  /** Up to this item, Elasticsearch pages itself. */
  plain: number;
  /** Beyond it, it pages within a section of this many items. At most index.max_result_window, 10,000 by default. */
  section: number;
  /**
   * So many items of a list are counted by the search for the page, and more by another one: a search that sorts counts items
   * one by one, and may skip those behind the page only if it does not count them.
   */
  counted: number;
};

// Measured: docs/decisions/0017-every-page-is-reachable.md, 0036-the-index-is-sorted-by-date.md.
const DEPTHS: Depths = { plain: 1_000, section: 5_000, counted: 50_000 };

/**
 * Reads any page of a list: near the beginning with one or two searches, otherwise with about ten searches of a point in
 * time.
 * @throws errors of `Session`
 */
export async function readPage(from: Session, page: PageSearch, depths = DEPTHS): Promise<FoundPage> {
  const session = keysOf(page.sort).some(({ field }) => field === '_score') ? from.withCommonScores() : from;
  if (page.from + page.size > depths.plain) {
    return session.atPointInTime(page.preference, (pointInTime) => readDeepPage(pointInTime, page, depths));
  }
  const { query, sort, size, preference, isShared, _source = true } = page;
  const search = { query, sort, from: page.from, size, preference, _source, request_cache: isShared };
  const send = (upTo: false | number, within = query) => session.receive({ ...search, query: within, track_total_hits: upTo });
  const order = timeOrder(page);
  const read = order ? (upTo: false | number) => readByTime(from, page, { order, send, upTo }) : send;
  const { found: response, total } = await readCounted(from, page, { read, hasMore: hasMoreItems, upTo: depths.counted });
  return { response, ...(total !== undefined && { total }) };
}

/** `read` takes a value of `track_total_hits`. `hasMore`: whether what it read has more items than were counted. */
type Counted<T> = { read: (upTo: false | number) => Promise<T>; hasMore: (found: T) => boolean; upTo?: number };

/** @returns `total` if the search for the page has not counted all items */
export async function readCounted<T>(
  session: Session,
  page: PageSearch,
  { read, hasMore, upTo = DEPTHS.counted }: Counted<T>,
): Promise<{ found: T; total?: number }> {
  if (!page.hasTotal) return { found: await read(countedUpTo(page)) };
  if (page.knownLists.get(page.preference)?.isLong) {
    const [found, total] = await Promise.all([read(false), countMatches(session, page)]);
    if (total <= upTo) learn(page, { isLong: false });
    return { found, total };
  }
  const found = await read(upTo);
  if (!hasMore(found)) return { found };
  learn(page, { isLong: true });
  return { found, total: await countMatches(session, page) };
}

function learn({ knownLists, preference }: PageSearch, known: KnownList): void {
  knownLists.set(preference, { ...knownLists.get(preference), ...known });
}

type Send = (upTo: false | number, within?: Query) => Promise<Buffer>;
type ByTime = { order: TimeOrder; send: Send; upTo: false | number };

/** Reads within the times of a page that was read before. If the list has not enough items there any more, reads all. */
async function readByTime(session: Session, page: PageSearch, { order, send, upTo }: ByTime): Promise<Buffer> {
  const end = countedUpTo(page);
  const countsMore = page.hasTotal && upTo !== false;
  const known = needsTimes(order, end) && !countsMore ? await readWithinTimes(session, page, { order, send }) : undefined;
  if (known) return known;
  const found = await send(upTo);
  const isTaught = teachesTimes(order, end) && (upTo === false || hasMoreItems(found));
  const times = isTaught ? timesIn(found, page) : undefined;
  if (times) learn(page, { [order]: times });
  return found;
}

/** @returns undefined if no times are known, or not enough items are within them: then they are forgotten */
async function readWithinTimes(
  session: Session,
  page: PageSearch,
  { order, send }: Pick<ByTime, 'order' | 'send'>,
): Promise<Buffer | undefined> {
  const end = countedUpTo(page);
  const times = page.knownLists.get(page.preference)?.[order];
  if (!times) return undefined;
  const response = await send(end, withinTimes(page, order, times, end));
  if (totalIn(response) >= end) {
    const found = timesIn(response, page);
    if (found && haveTooMany(page, times, found, end)) learn(page, { [order]: found });
    return response;
  }
  learn(page, { [order]: undefined });
  session.discard();
  return undefined;
}

/** The value of `track_total_hits` for a search without a total. */
function countedUpTo({ from, size }: PageSearch): number {
  return from + size + 1;
}

/** User text cannot contain it: its quotes are escaped in JSON. The total precedes the hits. */
function hasMoreItems(response: Buffer): boolean {
  return response.subarray(0, EMPTY_MAX_BYTES).includes('"relation":"gte"');
}

const TOTAL = /"total"\s*:\s*\{\s*"value"\s*:\s*(\d+)/;

/** @returns the total of a response as far as it was counted, without parsing its items; 0 if nothing was counted */
export function totalIn(response: Buffer): number {
  return Number(TOTAL.exec(response.subarray(0, EMPTY_MAX_BYTES).toString('latin1'))?.[1] ?? 0);
}

/** A search that only counts takes a small part of the time, and its result is kept until a refresh changes the index. */
async function countMatches(session: Session, { counted, preference }: PageSearch): Promise<number> {
  return totalOf((await session.search({ query: counted, preference, size: 0, request_cache: true, track_total_hits: true })).hits);
}

async function readDeepPage(session: Session, page: PageSearch, depths: Depths): Promise<FoundPage> {
  const { query, sort, from, size, _source = true } = page;
  const response = await session.receive({ query: page.counted, size: 0, track_total_hits: true });
  const total = totalOf(parseComplete(response, session.index.shards).hits);
  if (from >= total) return { response };
  const range = { query, sort, keys: keysOf(sort), from, to: Math.min(from + size, total), total };
  const bracket = await seek(session, range, depths.section);
  return { ...(await readSection(session, { ...range, _source }, bracket)), total };
}

type SourceRange = RankRange & { _source: estypes.SearchSourceConfig };

async function readSection(session: Session, range: SourceRange, bracket: Bracket): Promise<FoundPage> {
  const { query, sort, keys, from, to, _source } = range;
  const part = { size: to - from, track_total_hits: false, _source };
  const forward = { sort, from: from - bracket.startRank, ...part };
  const backward = { sort: reverse(sort), from: bracket.endRank - to, ...part };
  const reversed = keys[0]?.descending ?? false;
  const bound = reversed ? bracket.end : bracket.start;
  if (bound && isScore(keys, bound)) {
    // `min_score` is a limit on one side only, so the best scores first are read from the end of the section.
    const min_score = minScore(bound.values[0] ?? null, bound.past === reversed);
    return { response: await session.receive({ query, min_score, ...(reversed ? backward : forward) }), reversed };
  }
  const inSection: Query = { bool: { must: [query], filter: [between(query, keys, bracket)] } };
  return { response: await session.receive({ query: inSection, ...forward }) };
}
