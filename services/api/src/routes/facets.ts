import type Router from '@koa/router';
import { countFacets } from '../search/facets/count-facets.ts';
import { facetParameters } from '../search/facets/facets.ts';
import { queryParser } from '../http/query-parser.ts';
import { checkRanges } from '../search/filters.ts';
import type { State } from '../state.ts';
import { searchFor, type ContentDeps } from './route-helpers.ts';

export const FACETS_PATH = '/api/content/facets';

export function facetsRoute(router: Router<State>, deps: ContentDeps): void {
  const parseQuery = queryParser(facetParameters(deps.limits), checkRanges);

  router.get(FACETS_PATH, async (ctx) => {
    const parameters = parseQuery(ctx.querystring);
    const { body, correction } = await searchFor(deps, ctx, (caller) => countFacets(deps, parameters, caller));
    ctx.body = body;
    if (correction !== undefined) ctx.set('Search-Correction', correction);
  });
}
