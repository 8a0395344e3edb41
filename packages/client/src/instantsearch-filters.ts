import type { ListQuery } from './ugc-client.ts';

// What InstantSearch may ask for, and the parameters of the service that it becomes.

type Filter = string | readonly Filter[];
export type Parameters = {
  query?: string;
  page?: number;
  hitsPerPage?: number;
  facets?: string | readonly string[];
  maxValuesPerFacet?: number;
  facetFilters?: Filter;
  numericFilters?: Filter;
  highlightPreTag?: string;
  highlightPostTag?: string;
  analytics?: boolean;
  analyticsTags?: readonly string[];
  clickAnalytics?: boolean;
  userToken?: string;
};
export type FacetParameters = Parameters & { facetName?: string; facetQuery?: string; maxFacetHits?: number };

export type Query = ListQuery & Record<string, unknown>;

const PARAMETERS = {
  ...{ query: true, page: true, hitsPerPage: true, facets: true, maxValuesPerFacet: true, facetFilters: true, numericFilters: true },
  ...{ highlightPreTag: true, highlightPostTag: true },
  // These change nothing in a result.
  ...{ analytics: true, analyticsTags: true, clickAnalytics: true, userToken: true },
} satisfies Record<keyof Parameters, true>;
const FACET_PARAMETERS = { ...PARAMETERS, facetName: true, facetQuery: true, maxFacetHits: true } satisfies Record<
  keyof FacetParameters,
  true
>;
const REQUEST = { indexName: true, params: true };

type Request = { indexName?: string; params?: FacetParameters };

/**
 * A parameter that the service cannot obey would be missing from the result without a word.
 * @throws Error if the request has an unknown property or parameter with a value, or an unknown facet
 */
export function assertKnown(request: Request, { ofFacetValues = false } = {}): void {
  const { params = {} } = request;
  const unknown = [
    ...unknownIn(request, REQUEST).map((name) => `property ${name} of a request`),
    ...unknownIn(params, ofFacetValues ? FACET_PARAMETERS : PARAMETERS).map((name) => `parameter ${name}`),
    ...[params.facets ?? []].flat().flatMap((name) => (FACETS.has(name) || isOwn(name) ? [] : `facet ${name}`)),
  ];
  if (unknown.length > 0) throw new Error(`the service has no ${unknown.join(', no ')}`);
}

function unknownIn(given: object, known: object): string[] {
  return Object.entries(given).flatMap(([name, value]) => (Object.hasOwn(known, name) || isAbsent(value) ? [] : name));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** A field that the operator has declared, or a part of a group: `fields.build.game`. */
const OWN = 'fields.';

export function isOwn(attribute: string): boolean {
  return attribute.startsWith(OWN);
}

/** `build.game` of `fields.build.game` */
export function pathOf(attribute: string): string {
  return attribute.slice(OWN.length);
}

/** `build.game` of `build.game:1.20` */
export function pathIn(condition: unknown): string {
  return String(condition).split(':', 1)[0] ?? '';
}

/** Of a part of a group; else empty. */
function groupIn(condition: unknown): string {
  return /^(.*)\./.exec(pathIn(condition))?.[1] ?? '';
}

/** Filters that each of their values narrows further. */
const ALL_OF = new Set(['tags', 'excludeTags', 'excludeCreatorId', 'whereAll', 'whereNot']);

/** What decides which items are found. @throws Error for a filter that the service does not have */
export function toMatches({ query, facetFilters = [], numericFilters = [] }: Parameters): Query {
  const facetParameters = allOf(facetFilters).map((anyOf) => toFacetFilter([anyOf].flat() as string[]));
  const numericParameters = allOf(numericFilters).flatMap((condition) => toNumericFilters(String(condition)));
  const matches: Query = { ...(query && { prompt: query }) };
  for (const [name, values] of inOneEntry([...facetParameters, ...numericParameters])) {
    const earlier = matches[name];
    if (earlier !== undefined && !mayBeRepeated(name, values, earlier))
      throw new Error(`a list of the service has only one filter ${name}`);
    matches[name] = Array.isArray(values) ? [...((earlier as unknown[] | undefined) ?? []), ...values] : values;
  }
  return matches;
}

type FilterParameter = [name: string, values: unknown];

/**
 * The conditions of `where` on the parts of a group hold in one entry, and those of `whereAll` in one of their own: beside
 * alternatives for one part, conditions on another part are those of `where` too.
 */
function inOneEntry(filters: FilterParameter[]): FilterParameter[] {
  const alternatives = filters.flatMap(([name, values]) => (name === 'where' ? firstOf(values) : []));
  const isBeside = (condition: unknown): boolean => alternatives.some((each) => isOtherPart(each, condition));
  return filters.map(([name, values]) => [name === 'whereAll' && isBeside(firstOf(values)) ? 'where' : name, values]);
}

/** All conditions of a filter are on the same field. */
function firstOf(conditions: unknown): unknown {
  return (conditions as unknown[])[0];
}

function isOtherPart(one: unknown, other: unknown): boolean {
  return groupIn(one) !== '' && groupIn(one) === groupIn(other) && pathIn(one) !== pathIn(other);
}

/** The alternatives of several fields are one parameter, in which two ends are one range. */
function mayBeRepeated(name: string, values: unknown, earlier: unknown): boolean {
  if (name !== 'where') return ALL_OF.has(name);
  const given = firstOf(values);
  return !(earlier as unknown[]).some((each) => pathIn(each) === pathIn(given) && !areEnds(each, given));
}

/** Whether one is the lower end of a range, and the other one the upper end. */
function areEnds(...conditions: [unknown, unknown]): boolean {
  const signs = conditions.map((condition) => /:([<>])/.exec(String(condition))?.[1]);
  return signs.includes('<') && signs.includes('>');
}

function allOf(filter: Filter): readonly Filter[] {
  return typeof filter === 'string' ? filter.split(',') : filter;
}

/** The values that a facet filter wants or, after a `-`, does not want; `\-` is a minus sign of the value. */
function toFacetFilter(anyOf: string[]): [name: string, values: (string | number)[]] {
  const unknown = new Error(`the service has no filter for ${anyOf.join(' or ')}`);
  const [name = ''] = anyOf.map((each) => each.split(':', 1)[0] ?? '');
  const values = anyOf.map((each) => each.slice(name.length + 1));
  const isExcluded = values.some((value) => value.startsWith('-'));
  if ((isExcluded && values.length > 1) || !anyOf.every((each) => each.startsWith(`${name}:`))) throw unknown;
  const named = values.map((value) => value.replace(isExcluded ? /^-/ : '', '').replace(/^\\(?=-)/, ''));
  const parameter = parameterOf(name, isExcluded, named.length > 1);
  if (parameter === undefined) throw unknown;
  return [parameter, isOwn(name) ? named.map((value) => conditionOn(name, value)) : name === 'creatorId' ? named.map(Number) : named];
}

function parameterOf(attribute: string, isExcluded: boolean, hasAlternatives: boolean): string | undefined {
  const [anyOf, allOfThem, noneOf] = isOwn(attribute) ? ['where', 'whereAll', 'whereNot'] : (PARAMETERS_OF[attribute] ?? []);
  return isExcluded ? noneOf : hasAlternatives ? anyOf : allOfThem;
}

/** Of several values, of one, and of one that is excluded. */
const PARAMETERS_OF: Record<string, [string, string, string]> = {
  tags: ['anyTags', 'tags', 'excludeTags'],
  creatorId: ['creatorId', 'creatorId', 'excludeCreatorId'],
};

function conditionOn(attribute: string, value: string): string {
  return `${pathOf(attribute)}:${value}`;
}

const toTime = (ms: number): string => new Date(ms).toISOString();

type RangeParameter = keyof ListQuery;
type Bound = (value: number) => [parameter: RangeParameter, value: unknown][];
/** The attributes of whole numbers: the items with at least, and with at most, a value. */
export const RANGES: Record<string, { least: Bound; most: Bound }> = {
  downloadsCount: {
    least: (count) => [['minDownloads', Math.max(count, 0)]],
    most: (count) => [['maxDownloads', count]],
  },
  // The upper bound of a list is excluded, and its times are whole milliseconds.
  createdAt: { least: (ms) => [['createdFrom', toTime(ms)]], most: (ms) => [['createdTo', toTime(ms + 1)]] },
  updatedAt: { least: (ms) => [['updatedFrom', toTime(ms)]], most: (ms) => [['updatedTo', toTime(ms + 1)]] },
};

/** The widgets of a range ask for the facet of their attribute, for `facets_stats`. It has no values. */
const FACETS = new Set(['*', 'tags', 'creatorId', 'avgRating', ...Object.keys(RANGES)]);

/** The whole numbers that are meant: of 1.5, `<=` means those up to 1. `=` of a fraction is a range that the service refuses. */
const OPERATORS: Record<string, ['least' | 'most', (value: number) => number][]> = {
  '>=': [['least', Math.ceil]],
  '>': [['least', (value) => Math.floor(value) + 1]],
  '<=': [['most', Math.floor]],
  '<': [['most', (value) => Math.ceil(value) - 1]],
  '=': [
    ['least', Math.ceil],
    ['most', Math.floor],
  ],
};

function toNumericFilters(condition: string): [name: string, value: unknown][] {
  const [, attribute = '', operator = '', text = ''] = /^([\w.]+)\s*([<>]=?|=)\s*(-?\d+(?:\.\d+)?)$/.exec(condition) ?? [];
  if (isOwn(attribute)) return [['whereAll', [conditionOn(attribute, operator === '=' ? text : `${operator}${text}`)]]];
  const value = Number(text);
  if (attribute === 'avgRating') return toMinRating(condition, operator, value);
  const [range, bounds] = [RANGES[attribute], OPERATORS[operator]];
  if (!range || !bounds) throw new Error(`the service has no filter for ${condition}`);
  return bounds.flatMap(([bound, toWhole]) => range[bound](toWhole(value)));
}

function toMinRating(condition: string, operator: string, value: number): [name: string, value: unknown][] {
  if (operator === '>=') return [['minRating', value]];
  // The menu of ratings sends both ends of its range.
  if (operator === '<=' && value === 5) return [];
  throw new Error(`the service has no filter for ${condition}`);
}
