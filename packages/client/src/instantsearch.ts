import type { Facets } from './generated/types.gen.ts';
import type { ItemOf, ListQuery, UgcClient } from './ugc-client.ts';

// The search client that InstantSearch and algoliasearch-helper expect, over the lists and facets of this service.

type Filter = string | readonly Filter[];
type Parameters = {
  query?: string;
  page?: number;
  hitsPerPage?: number;
  facets?: string | readonly string[];
  facetFilters?: Filter;
  numericFilters?: Filter;
  highlightPreTag?: string;
  highlightPostTag?: string;
};
export type SearchRequest = { indexName?: string; params?: Parameters };
/** `facetName` is `tags`: the service looks up no other facet. */
export type FacetValuesRequest = { indexName?: string; params?: Parameters & { facetName?: string; facetQuery?: string } };

type Query = ListQuery & Record<string, unknown>;
type Item = ItemOf<{ fields: 'summary' }>;
type Highlight = { value: string; matchLevel: 'none' | 'full'; matchedWords: string[] };

/**
 * The name of an index is the order: `createdAt,desc`, `avgRating,desc`. Any other name is the best match first. Facets are
 * `tags`, `creatorId` and `avgRating` (stars); numeric filters those of `NUMERIC`.
 */
export function instantSearchClient(ugc: UgcClient, { hitsPerPage = 20 }: { hitsPerPage?: number } = {}) {
  return {
    search: async (requests: readonly SearchRequest[]) => ({
      results: await Promise.all(requests.map((request) => searchOne(ugc, { hitsPerPage, ...request.params }, request.indexName))),
    }),
    searchForFacetValues: (requests: readonly FacetValuesRequest[]) => Promise.all(requests.map((request) => findTags(ugc, request))),
  };
}

type Given = Parameters & { hitsPerPage: number };

async function searchOne(ugc: UgcClient, params: Given, index = '') {
  const [hits, counts] = await Promise.all([readHits(ugc, params, index), countFacets(ugc, params)]);
  const { query = '', page = 0, hitsPerPage } = params;
  return { ...NO_HITS, ...counts, ...hits, page, hitsPerPage, index, query };
}

const NO_HITS = { nbHits: 0, nbPages: 0, exhaustiveNbHits: true, params: '', processingTimeMS: 0 };

async function readHits(ugc: UgcClient, params: Given, index: string) {
  const { page = 0, hitsPerPage: size } = params;
  // Requests for the values of a facet want no items, and the service has no page of none.
  if (size === 0) return { hits: [] };
  const sort = [/^\w+,(asc|desc)$/.test(index) ? index : 'relevance'] as NonNullable<ListQuery['sort']>;
  const details = { fields: 'summary' as const, include: ['tags' as const], highlight: true };
  const list = await ugc.list({ ...toMatches(params), ...details, page, size, sort });
  return { hits: list.content.map((item) => toHit(item, params)), nbHits: list.totalElements, nbPages: list.totalPages };
}

async function countFacets(ugc: UgcClient, params: Given) {
  const { facets = [], hitsPerPage } = params;
  if (hitsPerPage > 0 && facets.length === 0) return { facets: {} };
  const { data } = await ugc.countFacets({ query: toMatches(params) });
  return { facets: toCounts(data, [facets].flat()), exhaustiveFacetsCount: data.facets.tags.exact, nbHits: data.totalElements };
}

/** Counts of a facet that was not asked for would replace those of another request. */
function toCounts({ facets: { tags, creators, ratings } }: Facets, wanted: string[]): Record<string, Record<string, number>> {
  const all = {
    tags: Object.fromEntries(tags.values.map(({ tag, count }) => [tag, count])),
    creatorId: Object.fromEntries(creators.values.map(({ creatorId, count }) => [creatorId, count])),
    avgRating: Object.fromEntries(ratings.values.map(({ stars, count }) => [stars, count])),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.includes(name) || wanted.includes('*')));
}

async function findTags(ugc: UgcClient, { params = {} }: FacetValuesRequest) {
  const { facetName, facetQuery = '' } = params;
  if (facetName !== 'tags') throw new Error(`the service does not look up values of ${facetName}`);
  const { data } = await ugc.countFacets({ query: { ...toMatches(params), tagPrefix: facetQuery } });
  const { values, exact } = data.facets.tags;
  const facetHits = values.map(({ tag, count }) => ({ value: tag, highlighted: tag, count }));
  return { facetHits, exhaustiveFacetsCount: exact, processingTimeMS: 0 };
}

/** Filters that each of their values narrows further. */
const ALL_OF = new Set(['tags', 'excludeTags', 'excludeCreatorId']);

/** What decides which items are found. */
function toMatches({ query, facetFilters = [], numericFilters = [] }: Parameters): Query {
  const facetParameters = allOf(facetFilters).map((anyOf) => toFacetFilter([anyOf].flat() as string[]));
  const conditions = allOf(numericFilters)
    .map(String)
    .filter((condition) => !MEANS_ALL.test(condition));
  const numericParameters = conditions.map(toNumericFilter);
  const matches: Query = { ...(query && { prompt: query }) };
  for (const [name, values] of [...facetParameters, ...numericParameters]) {
    const earlier = matches[name];
    if (earlier !== undefined && !ALL_OF.has(name)) throw new Error(`a list of the service has only one filter ${name}`);
    matches[name] = Array.isArray(values) ? [...((earlier as unknown[] | undefined) ?? []), ...values] : values;
  }
  return matches;
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
  if (name === 'tags') return [isExcluded ? 'excludeTags' : named.length > 1 ? 'anyTags' : 'tags', named];
  if (name === 'creatorId') return [isExcluded ? 'excludeCreatorId' : 'creatorId', named.map(Number)];
  throw unknown;
}

const toTime = (ms: string): string => new Date(Number(ms)).toISOString();
const NUMERIC: Record<string, [parameter: string, convert: (text: string) => unknown]> = {
  'avgRating>=': ['minRating', Number],
  'downloadsCount>=': ['minDownloads', Number],
  'downloadsCount<=': ['maxDownloads', Number],
  'createdAt>=': ['createdFrom', toTime],
  'createdAt<': ['createdTo', toTime],
  'updatedAt>=': ['updatedFrom', toTime],
  'updatedAt<': ['updatedTo', toTime],
};

/** The menu of ratings of InstantSearch sends both ends of its range. */
const MEANS_ALL = /^avgRating\s*<=\s*5(\.0*)?$/;

function toNumericFilter(condition: string): [name: string, value: unknown] {
  const [, compared = '', value = ''] = /^(\w+\s*[<>=]+)\s*([\d.]+)$/.exec(condition) ?? [];
  const [parameter, convert] = NUMERIC[compared.replace(/\s/g, '')] ?? [];
  if (!parameter || !convert) throw new Error(`the service has no filter for ${condition}`);
  return [parameter, convert(value)];
}

function toHit(item: Item, { highlightPreTag = '<em>', highlightPostTag = '</em>' }: Parameters) {
  const mark = (fragment: string): string =>
    unescape(fragment.replaceAll('<mark>', highlightPreTag).replaceAll('</mark>', highlightPostTag));
  const toHighlight = (text: string, fragments: string[] = []): Highlight => ({
    value: fragments.length > 0 ? fragments.map(mark).join(' … ') : text,
    matchLevel: fragments.length > 0 ? 'full' : 'none',
    matchedWords: [],
  });
  const { name, description, tags } = item.highlights ?? {};
  const tagOf = (fragment: string): string => unescape(fragment.replaceAll(/<\/?mark>/g, ''));
  return {
    ...item,
    objectID: String(item.contentId),
    _highlightResult: {
      name: toHighlight(item.name, name),
      description: toHighlight(item.description, description),
      tags: (item.tags ?? []).map((tag) =>
        toHighlight(
          tag,
          tags?.filter((fragment) => tagOf(fragment) === tag),
        ),
      ),
    },
  };
}

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

/** The service escapes highlights; InstantSearch expects plain text, and escapes it. */
function unescape(html: string): string {
  return html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
