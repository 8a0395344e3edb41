import { z } from 'zod';
import type { Limits } from '../env.ts';
import type { ErrorDetail } from '@ugc/items/problems/problem';
import { parseNumber, repeatable, single, time } from '../http/query-parameters.ts';
import { decimalFrom, integerFrom } from '@ugc/items/fields/numbers';
import { storableText } from '@ugc/items/fields/text';
import { heatOfRecent } from '@ugc/items/changes/popularity';
import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import { compose } from '@ugc/fields/types/texts';
import { assertAnswers, fieldsOf, type Mapped } from './answerable.ts';
import { publicFields } from './downloads.ts';
import type { Query } from './session.ts';
import { conditionsQuery, conditionsSchema, type Declared } from './where.ts';

/** The facets whose values a filter chooses from: `tags` for `anyTags`. */
export type FilteredFacet = 'tags' | 'creators' | 'ratings' | 'downloads' | 'created';
/** A facet, or the path of a declared field, whose own filters are left out. */
export type Ignored = { facet?: FilteredFacet; path?: string };

/** What a filter is asked of. `ignored`: the path of a declared field whose own conditions are left out. */
type Asked = { index: Mapped; declared: Definitions; ignored: string | undefined };

type Filter<Schema extends z.ZodType = z.ZodType> = {
  schema: (limits: Limits) => Schema;
  /** Called if the parameter is given. */
  toQuery(value: NonNullable<z.output<Schema>>, asked: Asked): Query;
  /** The facet that ignores this filter, so that it also counts the values that are not chosen yet. */
  facet?: FilteredFacet;
};

const MIN_RECENT_DESCRIPTION = `Only items with at least so many recent downloads, as \`include=recent\` says. Between two pages, items
leave the list as their downloads grow older.`;

/** Each filter of a list is one entry: its parameter, and the query that it becomes. */
const FILTERS = {
  tags: filter({
    schema: (limits) => tagsSchema(limits, 'Only items with all of these tags.'),
    toQuery: (tags) => ({ bool: { filter: tags.map((tag) => ({ term: { 'tags.exact': tag } })) } }),
  }),
  anyTags: filter({
    schema: (limits) => tagsSchema(limits, 'Only items with at least one of these tags.'),
    toQuery: (tags) => ({ terms: { 'tags.exact': tags } }),
    facet: 'tags',
  }),
  excludeTags: filter({
    schema: (limits) => tagsSchema(limits, 'Only items without any of these tags.'),
    toQuery: (tags) => not({ terms: { 'tags.exact': tags } }),
  }),
  creatorId: filter({
    schema: () => creatorIdsSchema('Only items created by one of these users.'),
    toQuery: (ids) => ({ terms: { creatorId: ids } }),
    facet: 'creators',
  }),
  excludeCreatorId: filter({
    schema: () => creatorIdsSchema('Only items created by none of these users.'),
    toQuery: (ids) => not({ terms: { creatorId: ids } }),
  }),
  contentId: filter({
    schema: () => contentIdsSchema('Only these items.'),
    toQuery: (ids) => ({ terms: { contentId: ids } }),
  }),
  minRating: filter({
    schema: () => ratingSchema('Only items with at least this average rating, which is 0 without ratings.'),
    toQuery: (gte) => ({ range: { avgRating: { gte } } }),
    facet: 'ratings',
  }),
  minDownloads: filter({
    schema: () => countSchema('Only items with at least this many downloads.'),
    toQuery: (gte, { index }) => ({ range: { [publicFields(index).downloadsCount]: { gte } } }),
    facet: 'downloads',
  }),
  maxDownloads: filter({
    schema: () => countSchema('Only items with at most this many downloads.'),
    toQuery: (lte, { index }) => ({ range: { [publicFields(index).downloadsCount]: { lte } } }),
    facet: 'downloads',
  }),
  minRecent: filter({
    schema: () => countSchema(MIN_RECENT_DESCRIPTION),
    toQuery: (least) => (least === 0 ? { match_all: {} } : { range: { heatWeek: { gte: heatOfRecent(least - ROUNDED, thisMinute()) } } }),
  }),
  createdFrom: filter({
    schema: () => timeSchema('Only items created at this time or later.'),
    toQuery: (gte) => ({ range: { createdAt: { gte } } }),
    facet: 'created',
  }),
  createdTo: filter({
    schema: () => timeSchema('Only items created before this time.'),
    toQuery: (lt) => ({ range: { createdAt: { lt } } }),
    facet: 'created',
  }),
  updatedFrom: filter({
    schema: () => timeSchema('Only items whose `updatedAt` is this time or later.'),
    toQuery: (gte) => ({ range: { updatedAt: { gte } } }),
  }),
  updatedTo: filter({
    schema: () => timeSchema('Only items whose `updatedAt` is before this time.'),
    toQuery: (lt) => ({ range: { updatedAt: { lt } } }),
  }),
  where: filter({
    schema: () => conditionsSchema('Only items with any of these values of a field, and so for each field that is named.'),
    toQuery: (texts, { declared, ignored }) => conditionsQuery('where', texts, declared, ignored),
  }),
  whereAll: filter({
    schema: () => conditionsSchema('Only items with all of these values.'),
    toQuery: (texts, { declared }) => conditionsQuery('whereAll', texts, declared),
  }),
  whereNot: filter({
    schema: () => conditionsSchema('Only items with none of these values, also those without any. Each condition excludes by itself.'),
    toQuery: (texts, { declared }) => conditionsQuery('whereNot', texts, declared),
  }),
};

type FilterName = keyof typeof FILTERS;
type FilterSchemas = { [Name in FilterName]: ReturnType<(typeof FILTERS)[Name]['schema']> };
/** The values of the filters; undefined for those that are not given. */
export type Filters = { [Name in FilterName]?: z.output<FilterSchemas[Name]> };

export function filterParameters(limits: Limits): FilterSchemas {
  return Object.fromEntries(Object.entries(FILTERS).map(([name, { schema }]) => [name, schema(limits)])) as FilterSchemas;
}

type Given = { name: string; value: unknown; facet: FilteredFacet | undefined; toClause: (asked: Asked) => Query };

export function hasFilters(filters: Filters): boolean {
  return Object.keys(FILTERS).some((name) => filters[name as FilterName] !== undefined);
}

/** The filters of a request, in the order of the table. */
export function givenFilters(filters: Filters): Given[] {
  return Object.entries<Filter>(FILTERS).flatMap(([name, { toQuery, facet }]) => {
    const value = filters[name as FilterName];
    return value === undefined ? [] : [{ name, value, facet, toClause: (asked: Asked) => toQuery(value, asked) }];
  });
}

/** @param ignored whose own filters are left out · @throws Problem 503 if the index lacks a field of a filter */
export function filterClauses(filters: Filters & Declared, index: Mapped, ignored: Ignored = {}): Query[] {
  const asked = { index, declared: filters.declared ?? NO_FIELDS, ignored: ignored.path };
  const given = givenFilters(filters).map(({ toClause, ...one }) => ({ ...one, clause: toClause(asked) }));
  assertAnswers(
    index,
    given.map(({ name, clause }) => ({ parameter: name, fields: fieldsOf(clause) })),
  );
  return given.flatMap(({ facet, clause }) => (facet !== undefined && facet === ignored.facet ? [] : [clause]));
}

/** Clients have these too: see `RANGES` in packages/client/src/instantsearch-filters.ts. */
export const RANGES = [
  { lower: 'minDownloads', upper: 'maxDownloads', includesUpper: true },
  { lower: 'createdFrom', upper: 'createdTo', includesUpper: false },
  { lower: 'updatedFrom', upper: 'updatedTo', includesUpper: false },
] as const satisfies { lower: FilterName; upper: FilterName; includesUpper: boolean }[];

/** @returns a problem for each range that no value can be in */
export function checkRanges(filters: Filters): ErrorDetail[] {
  return RANGES.flatMap(({ lower, upper, includesUpper }) => {
    const { [lower]: from = -Infinity, [upper]: to = Infinity } = filters;
    if (from < to || (includesUpper && from === to)) return [];
    const detail = includesUpper ? `must not be greater than ${upper}` : `must be before ${upper}`;
    return [{ parameter: lower, detail: from === to ? `${detail}, which is excluded: ${upper}=${dayAfter(from)} finds one day` : detail }];
  });
}

/** The number that items show is rounded. */
const ROUNDED = 0.5;

const MINUTE_MS = 60_000;

/** So that the same list is the same search for a minute, which is kept. */
function thisMinute(): number {
  return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
}

const DAY_MS = 86_400_000;

function dayAfter(ms: number): string {
  return new Date(ms + DAY_MS).toISOString().replace('T00:00:00.000Z', '');
}

function filter<Schema extends z.ZodType>(entry: Filter<Schema>): Filter<Schema> {
  return entry;
}

function not(query: Query): Query {
  return { bool: { must_not: [query] } };
}

const id = integerFrom(1, Number.MAX_SAFE_INTEGER);
const MAX_VALUES = 32;
/** 100 of the longest ids are 2,600 bytes of the query string. */
const MAX_ITEMS = 100;

/** With a higher TAGS_MAX, a list can still require all tags of an item. */
function tagsSchema(limits: Limits, description: string) {
  const tag = storableText({ min: 0, max: limits.TAG_MAX_CHARACTERS });
  // Items may have blank tags, which were accepted once.
  const isGiven = ({ value }: { value: string }): boolean => value !== '';
  return repeatable(z.array(tag).optional(), { max: Math.max(limits.TAGS_MAX, MAX_VALUES), parse: compose, isGiven }).meta({
    description: `${description} Tags are compared exactly.`,
    example: ['wallpaper', 'pixel art'],
  });
}

function creatorIdsSchema(description: string) {
  return repeatable(z.array(id).optional(), { max: MAX_VALUES, parse: parseNumber }).meta({ description, example: [1, 2] });
}

function contentIdsSchema(description: string) {
  return repeatable(z.array(id).optional(), { max: MAX_ITEMS, parse: parseNumber }).meta({ description, example: [157, 158] });
}

function ratingSchema(description: string) {
  return single(decimalFrom(0, 5).optional(), parseNumber).meta({
    description: `${description} In decimal notation without an exponent.`,
    example: 4.5,
  });
}

function countSchema(description: string) {
  return single(integerFrom(0, Number.MAX_SAFE_INTEGER).optional(), parseNumber).meta({ description, example: 100 });
}

function timeSchema(description: string) {
  return single(time().optional()).meta({
    description: `${description} A date is midnight UTC.`,
    example: '2026-11-20T09:30:00+00:00',
  });
}
