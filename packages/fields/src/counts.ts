import type { estypes } from '@elastic/elasticsearch';
import { conditionQuery } from './condition-queries.ts';
import { findField, type Definitions } from './definition.ts';
import { escapePattern } from './escape-pattern.ts';
import type { Scalar } from './field-type.ts';
import { keyOf } from './group-keys.ts';
import { propertyOf } from './index-fields.ts';
import { partsOf, type Conditions } from './read-conditions.ts';
import { indexedType, typeOf } from './types/types.ts';
import { describeUnknown, partDefinition } from './values.ts';

export const MAX_COUNTED = 8;
/** So many of them may have conditions of their own: each takes a search. */
export const MAX_COUNTED_APART = 4;

/**
 * How the values of a field, or of a part of a group, are counted. `shown`: the value of a bucket, as `where` takes it.
 * `queryOf`: counts one value. It is defined where the buckets are only the values to count: of an entry whose other parts
 * are asked by several values, or by a range. It looks for `keys` keys, or ranges of them.
 */
export type Count = {
  property: string;
  terms: estypes.AggregationsTermsAggregation;
  shown(key: string | number): string;
  queryOf: ((value: string) => estypes.QueryDslQueryContainer) | undefined;
  keys: number;
};

/**
 * @param path as `facetFields` names it, such as `licence` or `build.game`
 * @param conditions those of `where` · @returns what is wrong with the path of a field that is not counted
 */
export function countOf(path: string, definitions: Definitions, conditions: Conditions[]): Count | { detail: string } {
  const found = findField(definitions, path);
  if (!found) return { detail: `"${path.slice(0, 100)}" ${describeUnknown(definitions)}` };
  const { field, part, definition } = found;
  if (definition.type === 'group') return { detail: `${field} is a group: name a part, ${partsOf(field, definition)}` };
  if (!definition.facet) return { detail: `${path} is not counted: its definition lacks "facet": true` };
  if (part !== undefined) return countOfPart(part, definition.type, ofGroup(field, definitions, conditions));
  const property = propertyOf(field, definition);
  return { property, terms: { field: property }, shown: indexedType(definition.type).shown, queryOf: undefined, keys: 1 };
}

function ofGroup(field: string, definitions: Definitions, conditions: Conditions[]): Conditions {
  const definition = definitions.get(field) ?? partDefinition('keyword');
  return conditions.find((each) => each.field === field) ?? { field, definition, parts: new Map() };
}

function countOfPart(part: string, type: Parameters<typeof indexedType>[0], group: Conditions): Count {
  const { field, definition, parts } = group;
  const { of = {} } = definition;
  const property = propertyOf(field, definition);
  const asked = new Map([...parts].filter(([name]) => name !== part));
  const values = singleValues(asked);
  const others = values ? Object.keys(of).filter((name) => values.has(name)) : [];
  const terms = others.map((name) => indexedType(of[name] ?? 'keyword').term(values?.get(name) ?? ''));
  const beginning = keyOf(terms, { others, last: part });
  const queryOf = (text: string): estypes.QueryDslQueryContainer => {
    const parsed = typeOf(type).parse(text, partDefinition(type));
    // A query without conditions would find all items.
    if (!('value' in parsed)) return { match_none: {} };
    return conditionQuery('where', { ...group, parts: new Map([...asked, [part, [parsed]]]) });
  };
  return {
    property,
    terms: { field: property, include: `${escapePattern(beginning)}.*` },
    shown: (key) => indexedType(type).shownTerm(String(key).slice(beginning.length)),
    queryOf: values ? undefined : queryOf,
    keys: [...asked.values()].reduce((product, { length }) => product * length, 1),
  };
}

/** @returns the value of each part; undefined if one has several, or a range */
function singleValues(asked: Conditions['parts']): Map<string, Scalar> | undefined {
  const values = [...asked].map(([part, [first, ...others]]) =>
    first && 'value' in first && others.length === 0 ? ([part, first.value] as const) : undefined,
  );
  return values.every((value) => value !== undefined) ? new Map(values) : undefined;
}
