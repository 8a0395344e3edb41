import { LIVE } from '@ugc/shared/contracts/content-index';
import type { estypes } from '@elastic/elasticsearch';
import { continuedHangul } from '@ugc/text/words/hangul';
import { popularField } from '../downloads.ts';
import type { Found, Query, SearchBody, Session } from '../session.ts';
import { anyOf } from '../text-fields.ts';
import { MAX_COMPLETIONS } from './suggestions.ts';

export type Index = Pick<Session['index'], 'fields'>;

/** Those most downloaded by users: no account alone decides what everybody is shown. */
export function mostDownloadedFirst(index: Index): estypes.SortCombinations[] {
  return [{ [popularField(index)]: 'desc' }, { contentId: 'desc' }];
}

export function mostDownloaded(query: Query, index: Index): SearchBody {
  const filter = [LIVE, query];
  return { query: { bool: { filter } }, sort: mostDownloadedFirst(index), size: 1, track_total_hits: false, _source: false };
}

/** @returns the query for what begins with a folded text, of which the last syllable of Hangul may be half typed */
export function beginningWith(field: string, folded: string): Query {
  const continued = continuedHangul(folded);
  if (continued.length === 0) return { prefix: { [field]: { value: folded } } };
  const after = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 1);
  return anyOf(
    continued.map(({ beginning, first, last }) => ({ range: { [field]: { gte: beginning + first, lt: beginning + after(last) } } })),
  );
}

/** @returns the first values with different keys, in order; no more than are shown */
export function distinctBy<T>(values: T[], keyOf: (value: T) => string): T[] {
  const distinct = new Map<string, T>();
  for (const value of values) {
    if (distinct.size === MAX_COMPLETIONS) break;
    const key = keyOf(value);
    if (!distinct.has(key)) distinct.set(key, value);
  }
  return [...distinct.values()];
}

export type Hit = Found['hits']['hits'][number];

/** @param hit with the value of `creatorId` */
export function creatorOf({ fields }: Hit): number {
  return Number((fields?.['creatorId'] as unknown[] | undefined)?.[0]);
}

/** The most downloaded item of each creator. One account has one place among them. */
export function ofEachCreator(search: SearchBody): SearchBody {
  return { ...search, collapse: { field: 'creatorId' } };
}

/** Fewer creators of the most downloaded items leave too little room for those of others. */
const MIN_CREATORS = 8;

/** Whether there are more items than were asked for, and those that were found belong to few creators. */
export function isOfFew({ hits }: Found, size: number): boolean {
  return hits.hits.length >= size && new Set(hits.hits.map(creatorOf)).size < MIN_CREATORS;
}

/** Whatever an account uploads, so many of its items come before those of others. */
const ITEMS_OF_ONE = 2;

/** @returns the values in their order, but for those that come behind, since their creator has others before them */
export function fairly<T extends { creatorId: number }>(values: T[]): T[] {
  const counts = new Map<number, number>();
  const isFurther = values.map(({ creatorId }) => {
    counts.set(creatorId, (counts.get(creatorId) ?? 0) + 1);
    return (counts.get(creatorId) ?? 0) > ITEMS_OF_ONE;
  });
  return [...values.filter((_, at) => !isFurther[at]), ...values.filter((_, at) => isFurther[at])];
}
