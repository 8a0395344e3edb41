import { getIndexStatus as read, IndexStatus } from '../content/get-index-status.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { EXAMPLE_ITEM, ITEMS_TAG } from './examples.ts';

export function getIndexStatus(): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}/index-status',
    cost: 'read',
    tag: ITEMS_TAG,
    operationId: 'getIndexStatus',
    summary: 'Get whether the current revision of an item is searchable',
    responses: {
      200: {
        description: 'The status.',
        schema: IndexStatus,
        example: { contentId: EXAMPLE_ITEM.contentId, revision: 1, status: 'indexed' },
      },
    },
    async handle(deps, call) {
      await deps.tokenUsers.find(call.user);
      call.ctx.body = await read(deps.database, call.contentId, call.user);
    },
  });
}
