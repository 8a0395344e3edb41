import type { estypes } from '@elastic/elasticsearch';
import { countOf, type Count } from '@ugc/fields/counts';
import { NO_FIELDS } from '@ugc/fields/definition';
import { hasFields } from '../answerable.ts';
import { filterClauses } from '../filters.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import { buildQuery } from '../query.ts';
import type { Found, SearchBody, Session } from '../session.ts';
import { conditionsOf, isAsked, type Declared } from '../where.ts';
import type { FacetParameters, FieldFacet } from './facets.ts';

/** How a field, or a part of a group, is counted. `isApart`: it ignores conditions of its own, which takes a search. */
export type FieldCount = { path: string; count: Count; isApart: boolean };

/** @returns those that the request names, and the index has */
export function fieldCounts(
  { facetFields = [], where, declared = NO_FIELDS }: FacetParameters & Declared,
  index: Session['index'],
): FieldCount[] {
  const conditions = conditionsOf('where', where, declared);
  return [...new Set(facetFields)].flatMap((path): FieldCount[] => {
    const count = countOf(path, declared, conditions);
    if ('detail' in count || !hasFields(index, [count.property])) return [];
    return [{ path, count, isApart: conditions.some((each) => isAsked(each, path)) }];
  });
}

/** The name of the aggregation of a field. No facet has such a name. */
export function nameOf({ path }: FieldCount): string {
  return `fields.${path}`;
}

type Terms = estypes.AggregationsTermsAggregateBase<{ key: string | number; doc_count: number }>;
type FieldFacets = Record<string, FieldFacet>;

/** @param found the aggregates by `nameOf` */
export function readFieldCounts(counts: FieldCount[], found: Record<string, unknown>): FieldFacets {
  const entries = counts.map((counted): [string, FieldFacet] => {
    const { buckets, sum_other_doc_count: other = 0, doc_count_error_upper_bound: error = 0 } = found[nameOf(counted)] as Terms;
    const values = Object.values(buckets).map(({ key, doc_count: count }) => ({ value: counted.count.shown(key), count }));
    return [counted.path, { values, other, exact: error === 0 }];
  });
  return Object.fromEntries(entries);
}

type Counted = { counts: FieldCount[]; shown: FieldFacets };

/** Counts the values that are shown of parts of groups whose entries are asked for more than their aggregation can tell. */
export function entrySearches(
  parameters: FacetParameters & Declared,
  prompt: Interpretation | undefined,
  { index, ...counted }: Counted & { index: Session['index'] },
): SearchBody[] {
  return countedAgain(counted).map(({ path, count }) => {
    const values = counted.shown[path]?.values ?? [];
    const filters = Object.fromEntries(values.map(({ value }, at) => [String(at), count.queryOf?.(value) ?? { match_none: {} }]));
    const query = buildQuery(prompt, filterClauses(parameters, index, { path }));
    return { query, size: 0, track_total_hits: false, aggregations: { values: { filters: { filters } } } };
  });
}

function countedAgain({ counts, shown }: Counted): FieldCount[] {
  return counts.filter(({ path, count }) => count.queryOf && (shown[path]?.values ?? []).length > 0);
}

type Filtered = { buckets: Record<string, { doc_count: number }> };

/** @param responses to `entrySearches` · @returns the counts with those that were counted again, the largest first */
export function withEntryCounts(counted: Counted, responses: Found[]): FieldFacets {
  const again = countedAgain(counted).map(({ path }, at): [string, FieldFacet] => {
    const { values = [], other = 0, exact = true } = counted.shown[path] ?? {};
    const { buckets } = responses[at]?.aggregations?.['values'] as unknown as Filtered;
    const exactly = values.map(({ value }, n) => ({ value, count: buckets[String(n)]?.doc_count ?? 0 })).filter(({ count }) => count > 0);
    return [path, { values: exactly.toSorted((a, b) => b.count - a.count), other, exact: exact && other === 0 }];
  });
  return { ...counted.shown, ...Object.fromEntries(again) };
}
