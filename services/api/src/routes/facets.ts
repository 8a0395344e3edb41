import type Router from '@koa/router';
import { countFacets } from '../facets/count-facets.ts';
import { facetParameters } from '../facets/facet-parameters.ts';
import { parseQuery } from '../http/query-parameters.ts';
import type { State } from '../state.ts';
import type { ContentDeps } from './route-helpers.ts';

export const FACETS_PATH = '/api/content/facets';

export function facetsRoute(router: Router<State>, deps: ContentDeps): void {
  const FacetParameters = facetParameters(deps.limits);

  router.get(FACETS_PATH, async (ctx) => {
    const parameters = parseQuery(FacetParameters, ctx.querystring);
    const { userId } = ctx.state.user;
    const reservation = deps.traffic.lists.reserve(userId);
    const startDeepPage = () => deps.traffic.deepPages.start(userId);
    const facets = countFacets(deps, parameters, { reservation, startDeepPage, disconnected: ctx.state.disconnected });
    const { body, correction } = await facets.finally(reservation.release);
    ctx.body = body;
    if (correction !== undefined) ctx.set('Search-Correction', correction);
  });
}
