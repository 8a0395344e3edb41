import type { Limits } from '../env.ts';
import { checkRanges } from '../search/filters.ts';
import { DEFAULT_PAGE_SIZE, listParameters, SortKeyText } from '../search/parameters.ts';
import { AnyContentPage, toPage } from '../search/page.ts';
import { listContent as list } from '../search/list.ts';
import { checkSort } from '../search/sort.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { EXAMPLE_ITEM } from './examples.ts';
import { SEARCH_CORRECTION, SEARCH_RANKING, SEARCH_TAG, searchFor } from './search-for.ts';

export function listContent(limits: Limits): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content',
    cost: 'list',
    tag: SEARCH_TAG,
    operationId: 'listContent',
    summary: 'List all content items, or search them with a prompt',
    query: { schema: listParameters(limits), check: (query) => [...checkRanges(query), ...checkSort(query)], invalid: 'size=0' },
    schemas: [SortKeyText],
    responses: {
      200: {
        description: 'The page.',
        schema: AnyContentPage,
        example: toPage([EXAMPLE_ITEM], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 }),
        headers: { ...SEARCH_CORRECTION, ...SEARCH_RANKING },
      },
    },
    async handle(deps, call) {
      const { ctx, query, user, granted } = call;
      const begunAtMs = performance.now();
      const search = (abandoned: AbortSignal) => searchFor(deps, call, (caller) => list(deps, query, caller), abandoned);
      const response = await deps.lists.read(query, { search, disconnected: granted.disconnected });
      const { body, correction, ranking } = response;
      deps.insights?.record(query, { user: user.limitKey, begunAtMs, ...response });
      ctx.body = body;
      if (correction !== undefined) ctx.set('Search-Correction', correction);
      if (ranking !== undefined) ctx.set('Search-Ranking', ranking);
      ctx.type = 'json';
    },
  });
}
