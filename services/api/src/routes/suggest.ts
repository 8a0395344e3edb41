import type Router from '@koa/router';
import { queryParser } from '../http/query-parser.ts';
import type { State } from '../state.ts';
import { suggest } from '../suggestions/suggest.ts';
import { suggestParameters } from '../suggestions/suggestions.ts';
import type { ContentDeps } from './route-helpers.ts';

export const SUGGEST_PATH = '/api/content/suggest';

export function suggestRoute(router: Router<State>, deps: ContentDeps): void {
  const parseQuery = queryParser(suggestParameters(deps.limits));

  router.get(SUGGEST_PATH, async (ctx) => {
    const { prompt } = parseQuery(ctx.querystring);
    ctx.body = await suggest(deps, prompt, ctx.state.disconnected);
  });
}
