import { getTexts } from '@ugc/items/changes/get-content';
import type { Limits } from '../env.ts';
import { Caller } from '../limits/caller.ts';
import type { Searcher } from '../limits/traffic.ts';
import { rebuildDue } from '../search/answerable.ts';
import { countFacets as count } from '../search/facets/count-facets.ts';
import { facetParameters, Facets } from '../search/facets/facets.ts';
import { withDeclared } from '../search/declared.ts';
import { checkRanges } from '../search/filters.ts';
import { listContent as list } from '../search/list.ts';
import { AnyContentPage, toPage } from '../search/page.ts';
import { formatPlace, type Place } from '../search/pages/place.ts';
import { DEFAULT_PAGE_SIZE, listParameters, SortKeyText } from '../search/parameters.ts';
import { LONG_HEADER_MAX_BYTES } from '../search/response.ts';
import { AnySimilarItems, findSimilar, similarParameters } from '../search/similar/find-similar.ts';
import { checkSort, checkWalk } from '../search/sort.ts';
import { suggest } from '../search/suggestions/suggest.ts';
import { SuggestParameters, Suggestions } from '../search/suggestions/suggestions.ts';
import { endpoint, type Call, type EndpointDeps } from './endpoint.ts';
import { EXAMPLE_ITEM } from './items.ts';

/** The response header of the endpoints that read a prompt. */
const SEARCH_CORRECTION = {
  'Search-Correction': {
    description: `The words of the prompt that were corrected, split or joined, and what is searched for besides misspelt and rare
words, encoded like a query string. Absent when nothing was changed.`,
    example: 'lighthuose=lighthouse',
  },
};

const SEARCH_RANKING = {
  'Search-Ranking': {
    description: `How the items of the page were ranked: \`semantic\`, by words and by meaning, or \`lexical\`, by words only.
Present if there is a prompt and the first sort key is \`relevance\` or \`best\`, descending.`,
    example: 'lexical',
  },
};

const LINK = {
  Link: {
    description: `The address of the next page, relative to that of this one (RFC 8288). Present if the list is in the default order,
\`createdAt,desc\`, the page is not the last one, and the header has at most 1,024 bytes: with a long prompt it is left out. The
page has the same place with \`include=next\`, whatever its length. Walking a list by either gives each item that stays in the
list exactly once.`,
    example: `<?size=10&after=${formatPlace({ createdAtMs: Date.UTC(2026, 10, 20, 9, 30), contentId: 157 })}>; rel="next"`,
  },
};

/** @returns undefined if the header were too long: it repeats the query string */
function nextLink(queryString: string, next: Place): string | undefined {
  const query = new URLSearchParams(queryString);
  query.delete('page');
  query.set('after', formatPlace(next));
  const link = `<?${query}>; rel="next"`;
  return link.length > LONG_HEADER_MAX_BYTES ? undefined : link;
}

/** Runs a search of the user, and releases the bytes of its responses when it has ended. */
export async function searchFor<T>(
  { traffic }: EndpointDeps,
  { user, granted }: Pick<Call<unknown, unknown>, 'user' | 'granted'>,
  search: (caller: Caller) => Promise<T>,
  disconnected = granted.disconnected,
  searcher: Searcher = user.limitKey,
): Promise<T> {
  const caller = new Caller(traffic, user.limitKey, disconnected, searcher);
  return search(caller).finally(() => caller.release());
}

function listContent(limits: Limits) {
  return endpoint({
    method: 'get',
    path: '/api/content',
    cost: 'list',
    summary: 'List all content items, or search them with a prompt',
    query: {
      schema: listParameters(limits),
      check: (query) => [...checkRanges(query), ...checkSort(query), ...checkWalk(query)],
      invalid: 'size=0',
    },
    errors: [rebuildDue(['sort'])],
    schemas: [SortKeyText],
    responses: {
      200: {
        description: 'The page.',
        schema: AnyContentPage,
        example: toPage([EXAMPLE_ITEM], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 }),
        headers: { ...SEARCH_CORRECTION, ...SEARCH_RANKING, ...LINK },
      },
    },
    async handle(deps, call) {
      const { ctx, query, user, granted } = call;
      const begunAtMs = performance.now();
      const parameters = await withDeclared(deps.declaredFields, query);
      const search = (abandoned: AbortSignal, searcher?: Searcher) =>
        searchFor(deps, call, (caller) => list(deps, parameters, caller), abandoned, searcher);
      const response = await deps.lists.read(query, { search, disconnected: granted.disconnected });
      const { body, correction, ranking, next } = response;
      deps.insights?.record(query, { user: user.limitKey, begunAtMs, ...response });
      ctx.body = body;
      if (correction !== undefined) ctx.set('Search-Correction', correction);
      if (ranking !== undefined) ctx.set('Search-Ranking', ranking);
      const link = next && nextLink(ctx.querystring, next);
      if (link !== undefined) ctx.set('Link', link);
      ctx.type = 'json';
    },
  });
}

const { contentId, creatorId, creatorName } = EXAMPLE_ITEM;
const DAY = { from: '2026-11-20T00:00:00.000+00:00', to: '2026-11-21T00:00:00.000+00:00', count: 3 };
const EXAMPLE_FACETS = {
  totalElements: 3,
  facets: {
    tags: { values: [{ tag: 'pixel art', count: 2 }], other: 1, exact: true },
    creators: { values: [{ creatorId, creatorName, count: 3 }], other: 0, exact: true },
    ratings: { values: [{ stars: 4, count: 3 }] },
    downloads: { values: [{ min: 100, max: 999, count: 3 }] },
    created: { interval: 'day', values: [DAY] },
  },
};

function countFacets(limits: Limits) {
  return endpoint({
    method: 'get',
    path: '/api/content/facets',
    cost: 'list',
    summary: 'Count the matches of a list by tag, creator, rating, downloads and time',
    query: { schema: facetParameters(limits), check: checkRanges, invalid: 'minRating=6' },
    errors: [rebuildDue(['minRating'])],
    responses: { 200: { description: 'The counts.', schema: Facets, example: EXAMPLE_FACETS, headers: SEARCH_CORRECTION } },
    async handle(deps, call) {
      const parameters = await withDeclared(deps.declaredFields, call.query);
      const { body, correction } = await searchFor(deps, call, (caller) => count(deps, parameters, caller));
      call.ctx.body = body;
      if (correction !== undefined) call.ctx.set('Search-Correction', correction);
    },
  });
}

const EXAMPLE_SUGGESTIONS = {
  completions: [
    { text: 'lighthouse', type: 'tag' },
    { text: 'Lighthouse at dusk', type: 'name', contentId },
  ],
};

function suggestContent() {
  return endpoint({
    method: 'get',
    path: '/api/content/suggest',
    cost: 'suggestion',
    summary: 'Get completions of an unfinished prompt',
    query: { schema: SuggestParameters, invalid: 'prompt=%00' },
    responses: { 200: { description: 'The suggestions.', schema: Suggestions, example: EXAMPLE_SUGGESTIONS } },
    async handle(deps, call) {
      call.ctx.body = await searchFor(deps, call, (caller) => suggest(deps, call.query, caller));
    },
  });
}

function listSimilarContent(limits: Limits) {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}/similar',
    cost: 'list',
    summary: 'List the items that resemble a content item',
    query: { schema: similarParameters(limits), check: checkRanges, invalid: 'size=21' },
    errors: [rebuildDue(['minRating'])],
    responses: { 200: { description: 'The items.', schema: AnySimilarItems, example: { content: [EXAMPLE_ITEM] } } },
    async handle(deps, call) {
      const parameters = await withDeclared(deps.declaredFields, call.query);
      const item = await getTexts(deps.database, call.contentId);
      call.ctx.body = await searchFor(deps, call, (caller) => findSimilar(deps, item, parameters, caller));
      call.ctx.type = 'json';
    },
  });
}

export const search = { listContent, countFacets, suggestContent, listSimilarContent };
