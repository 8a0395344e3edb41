import type { estypes } from '@elastic/elasticsearch';
import { countOf, type Count } from '@ugc/fields/counts';
import { NO_FIELDS } from '@ugc/fields/definition';
import { hasFields } from '../answerable.ts';
import type { Session } from '../session.ts';
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
export type FieldFacets = Record<string, FieldFacet>;

/**
 * @param found the aggregates by `nameOf` · @param sampled which of them are counted in part
 * @returns the values that the aggregate of the field has, the most frequent first
 */
export function readFieldCount(counted: FieldCount, found: Record<string, unknown>, sampled: Record<string, number>): FieldFacet {
  const { buckets, sum_other_doc_count: other = 0, doc_count_error_upper_bound: error = 0 } = found[nameOf(counted)] as Terms;
  const values = Object.values(buckets).map(({ key, doc_count: count }) => ({ value: counted.count.shown(key), count }));
  return { values, other, exact: error === 0 && sampled[nameOf(counted)] === undefined };
}
