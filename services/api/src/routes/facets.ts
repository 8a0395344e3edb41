import type Router from '@koa/router';
import { countFacets } from '../facets/count-facets.ts';
import { facetParameters } from '../facets/facet-parameters.ts';
import { parseQuery } from '../http/query-parameters.ts';
import type { State } from '../state.ts';
import { searchFor, type ContentDeps } from './route-helpers.ts';

export const FACETS_PATH = '/api/content/facets';

export function facetsRoute(router: Router<State>, deps: ContentDeps): void {
  const FacetParameters = facetParameters(deps.limits);

  router.get(FACETS_PATH, async (ctx) => {
    const parameters = parseQuery(FacetParameters, ctx.querystring);
    const { body, correction } = await searchFor(deps, ctx, (client) => countFacets(deps, parameters, client));
    ctx.body = body;
    if (correction !== undefined) ctx.set('Search-Correction', correction);
  });
}
