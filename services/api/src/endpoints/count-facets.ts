import type { Limits } from '../env.ts';
import { countFacets as count } from '../facets/count-facets.ts';
import { facetParameters } from '../facets/facet-parameters.ts';
import { Facets } from '../facets/facets.ts';
import { checkRanges } from '../search/filters.ts';
import { outdatedIndex } from '../searched-index/require-mapping.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { EXAMPLE_FACETS } from './examples.ts';
import { SEARCH_CORRECTION, SEARCH_TAG, searchFor } from './search-for.ts';

export function countFacets(limits: Limits): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content/facets',
    cost: 'list',
    tag: SEARCH_TAG,
    operationId: 'countFacets',
    summary: 'Count the matches of a list by tag, creator, rating, downloads and time',
    query: { schema: facetParameters(limits), check: checkRanges, invalid: 'minRating=6' },
    responses: { 200: { description: 'The counts.', schema: Facets, example: EXAMPLE_FACETS, headers: SEARCH_CORRECTION } },
    errors: [{ problem: outdatedIndex('Facets') }],
    async handle(deps, call) {
      const { body, correction } = await searchFor(deps, call, (client) => count(deps, call.query, client));
      call.ctx.body = body;
      if (correction !== undefined) call.ctx.set('Search-Correction', correction);
    },
  });
}
