import type { Limits } from '../env.ts';
import { QueryReader } from '../http/query-reader.ts';

export const SORTABLE = [
  'relevance',
  'contentId',
  'creatorId',
  'creatorName',
  'name',
  'version',
  'downloadsCount',
  'latestDownloadsCount',
  'avgRating',
  'createdAt',
  'updatedAt',
] as const;
export type SortField = (typeof SORTABLE)[number];
export type SortKey = { field: SortField; direction: 'asc' | 'desc' };

/** What items must be like, besides matching the prompt. */
export type Filters = { tags: string[]; creatorId: number | undefined; minRating: number | undefined };
export type ListParameters = Filters & { prompt: string; page: number; size: number; sort: SortKey[]; includeTags: boolean };

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE = 2_147_483_647;
export const MAX_SORT_KEYS = 4;
const DEFAULT_SORT: SortKey[] = [{ field: 'createdAt', direction: 'desc' }];

/**
 * Reads the parameters of a list.
 * @throws Problem 400 naming every parameter that is not valid
 */
export function parseListParameters(queryString: string, limits: Limits): ListParameters {
  const query = new QueryReader(queryString);
  const parameters = {
    prompt: query.text('prompt', { max: limits.PROMPT_MAX_CHARACTERS }),
    page: query.integer('page', { min: 0, max: MAX_PAGE }) ?? 0,
    size: query.integer('size', { min: 1, max: limits.PAGE_MAX_SIZE }) ?? DEFAULT_PAGE_SIZE,
    sort: parseSort(query),
    tags: parseTags(query, limits),
    creatorId: query.integer('creatorId', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    minRating: query.decimal('minRating', { min: 0, max: 5 }),
    includeTags: parseInclude(query),
  };
  query.finish();
  return parameters;
}

/** @throws Problem 400 */
export function parseItemParameters(queryString: string): { includeTags: boolean } {
  const query = new QueryReader(queryString);
  const includeTags = parseInclude(query);
  query.finish();
  return { includeTags };
}

function parseSort(query: QueryReader): SortKey[] {
  const keys = query.all('sort', { max: MAX_SORT_KEYS }).map(parseSortKey);
  if (keys.includes(undefined)) {
    query.refuse('sort', `must be <field>, <field>,asc or <field>,desc, where <field> is one of ${SORTABLE.join(', ')}`);
  }
  return keys.length === 0 ? DEFAULT_SORT : keys.filter((key) => key !== undefined);
}

function parseSortKey(value: string): SortKey | undefined {
  const [name, direction, ...more] = value.split(',');
  const field = SORTABLE.find((sortable) => sortable === name);
  if (!field || more.length > 0) return undefined;
  const normalized = direction?.toLowerCase() ?? (field === 'relevance' ? 'desc' : 'asc');
  return normalized === 'asc' || normalized === 'desc' ? { field, direction: normalized } : undefined;
}

function parseTags(query: QueryReader, limits: Limits): string[] {
  const tags = query.all('tags', { max: limits.TAGS_MAX });
  for (const tag of tags) query.checkText('tags', tag, { max: limits.TAG_MAX_CHARACTERS });
  return tags;
}

function parseInclude(query: QueryReader): boolean {
  const values = query.all('include', { max: Infinity });
  if (values.some((value) => value !== 'tags')) query.refuse('include', 'must be tags, which is all that can be included');
  return values.length > 0;
}
