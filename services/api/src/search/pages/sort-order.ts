import type { estypes } from '@elastic/elasticsearch';

/** One key of a sort. The last key of a sort is `contentId`, so no two items have the same position. */
export type Key = { field: string; descending: boolean };

/** The values of an item's sort keys: text, a number, a time in milliseconds, a score. A missing value is null. */
export type Position = (string | number | null)[];

type Directed = estypes.SortOrder | { order: estypes.SortOrder };

export function keysOf(sort: estypes.SortCombinations[]): Key[] {
  return sort.flatMap((key) =>
    Object.entries(key).map(([field, directed]: [string, Directed]) => ({ field, descending: orderOf(directed) === 'desc' })),
  );
}

/** The opposite order. Elasticsearch sorts missing values last in both directions, so here they are first. */
export function reverse(sort: estypes.SortCombinations[]): estypes.SortCombinations[] {
  return keysOf(sort).map(({ field, descending }) => {
    const order = descending ? 'asc' : 'desc';
    return { [field]: field === '_score' ? { order } : { order, missing: '_first' } };
  });
}

/**
 * @param values the `sort` of a hit: a missing number is the largest or the smallest of its type, a missing text null
 */
export function positionOf(values: estypes.SortResults): Position {
  return values.map((value) => (isMissing(value) ? null : value)) as Position;
}

function isMissing(value: estypes.FieldValue): boolean {
  return value === null || (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER);
}

function orderOf(directed: Directed): estypes.SortOrder {
  return typeof directed === 'string' ? directed : directed.order;
}
