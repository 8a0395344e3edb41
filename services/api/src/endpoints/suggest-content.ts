import { suggest, SuggestParameters, Suggestions } from '../search/suggestions/suggest.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { SEARCH_TAG, searchFor } from './search-for.ts';

const EXAMPLE = {
  completions: [
    { text: 'lighthouse', type: 'tag' },
    { text: 'Lighthouse at dusk', type: 'name' },
  ],
};

export function suggestContent(): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content/suggest',
    cost: 'suggestion',
    tag: SEARCH_TAG,
    operationId: 'suggestContent',
    summary: 'Get completions of an unfinished prompt',
    query: { schema: SuggestParameters, invalid: 'prompt=%00' },
    responses: { 200: { description: 'The suggestions.', schema: Suggestions, example: EXAMPLE } },
    async handle(deps, call) {
      call.ctx.body = await searchFor(deps, call, (caller) => suggest(deps, call.query.prompt, caller));
    },
  });
}
