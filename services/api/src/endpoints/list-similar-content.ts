import type { Limits } from '../env.ts';
import { getContent } from '../content/get-content.ts';
import { checkRanges } from '../search/filters.ts';
import { findSimilar } from '../search/similar/find-similar.ts';
import { AnySimilarItems, similarParameters } from '../search/similar/similar-parameters.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { EXAMPLE_ITEM } from './examples.ts';
import { SEARCH_TAG, searchFor } from './search-for.ts';

export function listSimilarContent(limits: Limits): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}/similar',
    cost: 'list',
    tag: SEARCH_TAG,
    operationId: 'listSimilarContent',
    summary: 'List the items that resemble a content item',
    query: { schema: similarParameters(limits), check: checkRanges, invalid: 'size=21' },
    responses: { 200: { description: 'The items.', schema: AnySimilarItems, example: { content: [EXAMPLE_ITEM] } } },
    async handle(deps, call) {
      const item = await getContent(deps.reader, call.contentId);
      call.ctx.body = await searchFor(deps, call, (caller) => findSimilar(deps, item, call.query, caller));
      call.ctx.type = 'json';
    },
  });
}
