import type { Limits } from '../env.ts';
import { countFacets as count } from '../search/facets/count-facets.ts';
import { facetParameters, Facets } from '../search/facets/facets.ts';
import { checkRanges } from '../search/filters.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { EXAMPLE_ITEM } from './examples.ts';
import { SEARCH_CORRECTION, SEARCH_TAG, searchFor } from './search-for.ts';

const { creatorId, creatorName } = EXAMPLE_ITEM;

const EXAMPLE = {
  totalElements: 3,
  facets: {
    tags: {
      values: [
        { tag: 'pixel art', count: 2 },
        { tag: 'wallpaper', count: 1 },
      ],
      other: 0,
      exact: true,
    },
    creators: { values: [{ creatorId, creatorName, count: 3 }], other: 0, exact: true },
    ratings: {
      values: [
        { stars: 4, count: 1 },
        { stars: 0, count: 2 },
      ],
    },
    downloads: {
      values: [
        { min: 0, max: 0, count: 2 },
        { min: 100, max: 999, count: 1 },
      ],
    },
    created: {
      interval: 'day',
      values: [
        { from: '2026-11-20T00:00:00.000+00:00', to: '2026-11-21T00:00:00.000+00:00', count: 1 },
        { from: '2026-11-21T00:00:00.000+00:00', to: '2026-11-22T00:00:00.000+00:00', count: 2 },
      ],
    },
  },
};

export function countFacets(limits: Limits): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content/facets',
    cost: 'list',
    tag: SEARCH_TAG,
    operationId: 'countFacets',
    summary: 'Count the matches of a list by tag, creator, rating, downloads and time',
    query: { schema: facetParameters(limits), check: checkRanges, invalid: 'minRating=6' },
    responses: { 200: { description: 'The counts.', schema: Facets, example: EXAMPLE, headers: SEARCH_CORRECTION } },
    async handle(deps, call) {
      const { body, correction } = await searchFor(deps, call, (caller) => count(deps, call.query, caller));
      call.ctx.body = body;
      if (correction !== undefined) call.ctx.set('Search-Correction', correction);
    },
  });
}
