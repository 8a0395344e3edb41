import { deleteContent as deleteItem } from '../content/delete-content.ts';
import { editedSince, IF_MATCH } from '../http/entity-tag.ts';
import { invalidToken } from '../http/problem.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { ITEMS_TAG, OF_ANOTHER_USER } from './examples.ts';
import { PREFER, PREFERENCE_APPLIED, wakeRelayAndWait } from './prefer-wait.ts';

export function deleteContent(): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/api/content/{id}',
    cost: 'write',
    tag: ITEMS_TAG,
    operationId: 'deleteContent',
    summary: 'Delete an item immediately and permanently',
    headers: { ...IF_MATCH, ...PREFER },
    responses: { 204: { description: 'The item is deleted.', headers: PREFERENCE_APPLIED } },
    errors: [{ problem: invalidToken(), description: OF_ANOTHER_USER }, { problem: editedSince() }],
    async handle(deps, call) {
      const { ctx, user } = call;
      await deps.tokenUsers.find(user);
      const request = { contentId: call.contentId, user, ifMatch: ctx.get('if-match'), isEmbedded: deps.meaning !== undefined };
      const deleted = await deleteItem(deps.database, request);
      await wakeRelayAndWait(deps, call, deleted);
      ctx.status = 204;
    },
  });
}
