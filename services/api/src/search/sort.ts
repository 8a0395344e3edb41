import type { estypes } from '@elastic/elasticsearch';
import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import { sortPropertyOf } from '@ugc/fields/index-fields';
import { describeUnknown } from '@ugc/fields/values';
import type { ErrorDetail } from '@ugc/items/problems/problem';
import { assertAnswers, type Mapped } from './answerable.ts';
import { publicFields } from './downloads.ts';
import type { ListParameters, SortField, SortKey } from './parameters.ts';
import type { Query } from './session.ts';
import type { Declared } from './where.ts';

const SORT_FIELDS: Partial<Record<SortField, string>> = {
  creatorName: 'creatorNameSort',
  name: 'nameSort',
  best: 'quality',
  hot: 'heatDay',
  trending: 'heatWeek',
};

/** `relevance` without a prompt is `createdAt`; `best` without scores is the quality alone. */
type Sorted = Declared & { hasPrompt: boolean; hasScores: boolean; index: Mapped };

/**
 * With `contentId` as the tiebreaker, so that pages neither repeat nor skip an item.
 * @throws Problem 503 if the index lacks a field of the order
 */
export function buildSort(keys: SortKey[], { hasPrompt, hasScores, index, declared = NO_FIELDS }: Sorted): estypes.SortCombinations[] {
  const effective = hasPrompt ? keys : keys.map(newestForRelevance);
  const sorted = effective.filter(({ field }) => field !== 'relevance');
  assertAnswers(
    index,
    sorted.map((key) => ({ parameter: 'sort', fields: [propertyOf(key, { index, declared })] })),
  );
  const sort = effective.map((key): estypes.SortCombinations => {
    const { field, direction } = key;
    const isScore = field === 'relevance' || (field === 'best' && hasScores);
    return isScore ? { _score: { order: direction } } : { [propertyOf(key, { index, declared })]: direction };
  });
  return [...sort, { contentId: effective[0]?.direction ?? 'desc' }];
}

/** Elasticsearch sorts items without a value last in both directions. */
function propertyOf({ field, direction }: SortKey, { index, declared }: { index: Mapped; declared: Definitions }): string {
  const name = declaredName(field);
  const fields: Partial<Record<string, string>> = { ...SORT_FIELDS, ...publicFields(index) };
  if (name === undefined) return fields[field] ?? field;
  const definition = declared.get(name);
  return (definition && sortPropertyOf(name, definition, direction)) ?? field;
}

const BEFORE_NAME = 'fields.';

/** @returns the name of a declared field; undefined for another key */
function declaredName(field: SortKey['field']): string | undefined {
  return field.startsWith(BEFORE_NAME) ? field.slice(BEFORE_NAME.length) : undefined;
}

export function sortsByFields(keys: SortKey[]): boolean {
  return keys.some(({ field }) => declaredName(field) !== undefined);
}

/** @returns what is wrong with the declared fields of an order */
export function checkFieldSort(keys: SortKey[], declared: Definitions): ErrorDetail[] {
  return keys.flatMap(({ field, direction }): ErrorDetail[] => {
    const name = declaredName(field);
    if (name === undefined) return [];
    const definition = declared.get(name);
    if (definition && sortPropertyOf(name, definition, direction) !== undefined) return [];
    const detail = definition ? `is of the type ${definition.type}, which has no order` : describeUnknown(declared);
    return [{ parameter: 'sort', detail: `${field} ${detail}` }];
  });
}

function newestForRelevance(key: SortKey): SortKey {
  return key.field === 'relevance' ? { field: 'createdAt', direction: 'desc' } : key;
}

export function sortsByBest(keys: SortKey[]): boolean {
  return keys.some(({ field }) => field === 'best');
}

export function sortsByScore(keys: SortKey[]): boolean {
  return keys.some(({ field }) => field === 'relevance' || field === 'best');
}

export const QUALITY_FACTOR_FIELD = 'qualityFactor';

/** Matches the same items; each score is multiplied by the factor of the item, which is from 3/4 to 4/3. */
export function weighByQuality(query: Query): Query {
  return {
    function_score: { query, functions: [{ field_value_factor: { field: QUALITY_FACTOR_FIELD, missing: 1 } }], boost_mode: 'multiply' },
  };
}

/** Both are the score of an item, which a list can have only one of. */
export function checkSort({ sort }: { sort: SortKey[] }): ErrorDetail[] {
  const detail = 'must not contain both relevance and best: best sorts by relevance and quality; remove one of them';
  return sortsByBest(sort) && sort.some(({ field }) => field === 'relevance') ? [{ parameter: 'sort', detail }] : [];
}

/** Whether the list is in the default order. No change of an item moves it there. */
export function isWalkable({ sort: [key, ...others] }: { sort: SortKey[] }): boolean {
  return key?.field === 'createdAt' && key.direction === 'desc' && others.length === 0;
}

export function checkWalk({ sort, page, after }: Pick<ListParameters, 'sort' | 'page' | 'after'>): ErrorDetail[] {
  if (!after) return [];
  const refused = [...(isWalkable({ sort }) ? [] : ['sort']), ...(page === 0 ? [] : ['page'])];
  return refused.map((other) => ({
    parameter: 'after',
    detail: `must not be used with ${other}: it continues a list in the order createdAt,desc; remove ${other} or after`,
  }));
}
