import type { estypes } from '@elastic/elasticsearch';
import type { PartType } from './definition.ts';
import type { Limits } from './field-type.ts';
import { afterKeys, keyOf } from './group-keys.ts';
import { propertyOf } from './index-fields.ts';
import { isEmptyRange, type Asked, type Conditions, type Where } from './read-conditions.ts';
import { indexedType, type ScalarType } from './types/types.ts';

type Query = estypes.QueryDslQueryContainer;

/** The query for conditions that hold together. Those on the parts of a group hold in one entry. */
export function conditionQuery(where: Where, { field, definition, parts }: Conditions): Query {
  const property = propertyOf(field, definition);
  const all = where === 'whereAll';
  const { type, of = {} } = definition;
  const queries = type === 'group' ? groupQueries(property, of, parts, all) : scalarQueries(property, type, parts.get('') ?? [], all);
  if (all) return { bool: { filter: queries } };
  if (where === 'whereNot') return { bool: { must_not: queries } };
  const [first] = queries;
  return queries.length === 1 && first ? first : { bool: { should: queries, minimum_should_match: 1 } };
}

function scalarQueries(property: string, type: PartType | 'text', asked: Asked[], all: boolean): Query[] {
  const { key, range } = indexedType(type);
  const values = asked.flatMap((each) => ('value' in each ? [key(each.value)] : []));
  const ranges = rangesOf(asked, type).map((limits): Query => ({ range: { [property]: range?.(limits) ?? {} } }));
  return [...exactQueries(property, values, all), ...ranges];
}

function exactQueries(property: string, values: (string | number)[], all: boolean): Query[] {
  if (all) return values.map((value) => ({ term: { [property]: value } }));
  return values.length === 0 ? [] : [{ terms: { [property]: values } }];
}

/**
 * People write a range as its two ends, `players:>=4` and `players:<=8`: with *any*, each alone would find nearly everything.
 * Ends that leave nothing between them are two ranges.
 */
function rangesOf(asked: Asked[], type: ScalarType): Limits[] {
  const ranges = asked.flatMap((each) => ('limits' in each ? [each.limits] : []));
  const isLower = (limits: Limits): boolean => !('lt' in limits || 'lte' in limits);
  const isUpper = (limits: Limits): boolean => !('gt' in limits || 'gte' in limits);
  const [lower, upper] = [ranges.filter(isLower), ranges.filter(isUpper)];
  const joined = { ...lower[0], ...upper[0] };
  if (lower.length !== 1 || upper.length !== 1 || isEmptyRange(joined, type)) return ranges;
  return [joined, ...ranges.filter((limits) => !isLower(limits) && !isUpper(limits))];
}

type Parts = Record<string, PartType>;

/** A query for each combination of the values of the parts, and of the ranges of one of them. */
function groupQueries(property: string, of: Parts, asked: Conditions['parts'], all: boolean): Query[] {
  const parts = Object.keys(of).filter((part) => asked.has(part));
  const last = parts.find((part) => asked.get(part)?.some((each) => 'limits' in each)) ?? parts.at(-1) ?? '';
  const others = parts.filter((part) => part !== last);
  const combined = combinations(others.map((part) => termsOf(of, part, asked.get(part) ?? [])));
  const beginnings = combined.map((terms) => keyOf(terms, { others, last }));
  const ofLast = asked.get(last) ?? [];
  const exact = beginnings.flatMap((beginning) => termsOf(of, last, ofLast).map((term) => beginning + term));
  const ranges = rangesOf(ofLast, of[last] ?? 'keyword').map((limits) => indexedType(of[last] ?? 'keyword').terms?.(limits));
  const ranged = beginnings.flatMap((beginning) => ranges.map((range) => keyRange(property, beginning, range)));
  return [...exactQueries(property, exact, all), ...ranged];
}

function keyRange(
  property: string,
  beginning: string,
  { from = '', to }: { from?: string | undefined; to?: string | undefined } = {},
): Query {
  return { range: { [property]: { gte: beginning + from, lt: to === undefined ? afterKeys(beginning) : beginning + to } } };
}

function termsOf(of: Parts, part: string, asked: Asked[]): string[] {
  return asked.flatMap((each) => ('value' in each ? [indexedType(of[part] ?? 'keyword').term(each.value)] : []));
}

function combinations(lists: string[][]): string[][] {
  return lists.reduce<string[][]>((chosen, list) => chosen.flatMap((each) => list.map((value) => [...each, value])), [[]]);
}
