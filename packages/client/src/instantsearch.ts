import type { Facets } from './generated/types.gen.ts';
import { ownFacets, type ReadOwnFacets } from './instantsearch-facets.ts';
import { assertKnown, toMatches, type FacetParameters, type Parameters } from './instantsearch-filters.ts';
import type { ItemOf, ListQuery, UgcClient } from './ugc-client.ts';

// The search client that InstantSearch and algoliasearch-helper expect, over the lists and facets of this service.

export type SearchRequest = { indexName?: string; params?: Parameters };
/** `facetName` is `tags`: the service looks up no other facet. */
export type FacetValuesRequest = { indexName?: string; params?: FacetParameters };

type Item = ItemOf<{ fields: 'summary' }>;
type Highlight = { value: string; matchLevel: 'none' | 'full'; matchedWords: string[] };

/**
 * The name of an index is the order: `createdAt,desc`, `trending,desc`. Any other name is the best match first. Facets are
 * `tags`, `creatorId`, `avgRating` (stars) and declared fields, as `fields.licence`; `params` may have what `Parameters` names, with numeric filters for
 * `avgRating`, `downloadsCount`, `createdAt` and `updatedAt`. The promises are rejected for anything else, and with the
 * errors of the service.
 */
export function instantSearchClient(ugc: UgcClient, { hitsPerPage = 20 }: { hitsPerPage?: number } = {}) {
  const readOwn = ownFacets(ugc);
  return {
    search: async (requests: readonly SearchRequest[]) => ({
      results: await Promise.all(requests.map((request) => searchOne(ugc, request, { usualHits: hitsPerPage, readOwn }))),
    }),
    searchForFacetValues: (requests: readonly FacetValuesRequest[]) => Promise.all(requests.map((request) => findTags(ugc, request))),
  };
}

type Given = Parameters & { hitsPerPage: number };

async function searchOne(ugc: UgcClient, request: SearchRequest, { usualHits, readOwn }: { usualHits: number; readOwn: ReadOwnFacets }) {
  assertKnown(request);
  const begunAtMs = performance.now();
  const { indexName: index = '', params = {} } = request;
  const { query = '', page = 0, hitsPerPage = usualHits } = params;
  const given = { ...params, hitsPerPage };
  const [hits, counts] = await Promise.all([readHits(ugc, given, index), countFacets(given, readOwn)]);
  return { ...NO_HITS, ...counts, ...hits, processingTimeMS: msSince(begunAtMs), page, hitsPerPage, index, query };
}

const NO_HITS = { nbHits: 0, nbPages: 0, exhaustiveNbHits: true, params: '' };

/** What a person waits, also for the network. */
function msSince(begunAtMs: number): number {
  return Math.round(performance.now() - begunAtMs);
}

async function readHits(ugc: UgcClient, params: Given, index: string) {
  const { page = 0, hitsPerPage: size } = params;
  // Requests for the values of a facet want no items, and the service has no page of none.
  if (size === 0) return { hits: [] };
  const sort = [/^[\w.]+,(asc|desc)$/.test(index) ? index : 'relevance'] as NonNullable<ListQuery['sort']>;
  const details = { fields: 'summary' as const, include: ['tags' as const], highlight: true };
  const list = await ugc.list({ ...toMatches(params), ...details, page, size, sort });
  return { hits: list.content.map((item) => toHit(item, params)), nbHits: list.totalElements, nbPages: list.totalPages };
}

async function countFacets(params: Given, readOwn: ReadOwnFacets) {
  const { facets = [], hitsPerPage, maxValuesPerFacet } = params;
  if (hitsPerPage > 0 && facets.length === 0) return { facets: {} };
  const data = await readOwn([facets].flat(), toMatches(params));
  return {
    facets: toCounts(data, [facets].flat(), maxValuesPerFacet),
    exhaustiveFacetsCount: data.facets.tags.exact,
    nbHits: data.totalElements,
  };
}

/** Counts of a facet that was not asked for would replace those of another request. */
function toCounts(
  { facets: { tags, creators, ratings, fields = {} } }: Facets,
  wanted: string[],
  max?: number,
): Record<string, Record<string, number>> {
  const all = {
    tags: Object.fromEntries(tags.values.slice(0, max).map(({ tag, count }) => [tag, count])),
    creatorId: Object.fromEntries(creators.values.slice(0, max).map(({ creatorId, count }) => [creatorId, count])),
    avgRating: Object.fromEntries(ratings.values.slice(0, max).map(({ stars, count }) => [stars, count])),
    ...Object.fromEntries(Object.entries(fields).map(([name, { values }]) => [`fields.${name}`, countsOf(values.slice(0, max))])),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.includes(name) || wanted.includes('*')));
}

function countsOf(values: { value: string; count: number }[]): Record<string, number> {
  return Object.fromEntries(values.map(({ value, count }) => [value, count]));
}

async function findTags(ugc: UgcClient, request: FacetValuesRequest) {
  assertKnown(request, { ofFacetValues: true });
  const begunAtMs = performance.now();
  const { facetName, facetQuery = '', maxFacetHits, ...params } = request.params ?? {};
  if (facetName !== 'tags') throw new Error(`the service does not look up values of ${facetName}`);
  const { data } = await ugc.countFacets({ query: { ...toMatches(params), tagPrefix: facetQuery } });
  const { values, exact } = data.facets.tags;
  const facetHits = values.slice(0, maxFacetHits).map(({ tag, count }) => ({ value: tag, highlighted: tag, count }));
  return { facetHits, exhaustiveFacetsCount: exact, processingTimeMS: msSince(begunAtMs) };
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
