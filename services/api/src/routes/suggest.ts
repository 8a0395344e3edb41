import type Router from '@koa/router';
import { queryParser } from '../http/query-parser.ts';
import type { State } from '../state.ts';
import { suggest } from '../search/suggestions/suggest.ts';
import { suggestParameters } from '../search/suggestions/suggestions.ts';
import { searchFor, type ContentDeps } from './route-helpers.ts';

export const SUGGEST_PATH = '/api/content/suggest';

export function suggestRoute(router: Router<State>, deps: ContentDeps): void {
  const parseQuery = queryParser(suggestParameters(deps.limits));

  router.get(SUGGEST_PATH, async (ctx) => {
    const { prompt } = parseQuery(ctx.querystring);
    ctx.body = await searchFor(deps, ctx, (caller) => suggest(deps, prompt, caller));
  });
}
