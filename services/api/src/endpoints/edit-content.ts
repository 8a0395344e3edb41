import { ContentItem, fromRow } from '../content/content-item.ts';
import { editContent as edit } from '../content/edit-content.ts';
import { editSchema } from '../content/edit-schema.ts';
import type { Limits } from '../env.ts';
import { editedSince, entityTag, ETAG, IF_MATCH } from '../http/entity-tag.ts';
import { invalidToken } from '../http/problem.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { EXAMPLE_ITEM, ITEMS_TAG, OF_ANOTHER_USER } from './examples.ts';
import { PREFER, PREFERENCE_APPLIED, wakeRelayAndWait } from './prefer-wait.ts';

export function editContent(limits: Limits): Endpoint {
  return endpoint({
    method: 'patch',
    path: '/api/content/{id}',
    cost: 'write',
    tag: ITEMS_TAG,
    operationId: 'editContent',
    summary: 'Edit an item with a JSON merge patch (RFC 7396)',
    headers: { ...IF_MATCH, ...PREFER },
    body: {
      schema: editSchema(limits),
      mediaTypes: ['application/merge-patch+json', 'application/json'],
      example: { name: 'Lighthouse at dawn', tags: null },
      invalid: { name: ' ' },
    },
    responses: {
      200: {
        description: 'The edited item.',
        schema: ContentItem,
        example: EXAMPLE_ITEM,
        headers: { ...ETAG, ...PREFERENCE_APPLIED },
      },
    },
    errors: [{ problem: invalidToken(), description: OF_ANOTHER_USER }, { problem: editedSince() }],
    async handle(deps, call) {
      const { ctx, user } = call;
      const rules = { limits: deps.limits, isEmbedded: deps.meaning !== undefined };
      const request = { contentId: call.contentId, user, ifMatch: ctx.get('if-match'), ...rules };
      const changes = await call.body();
      await deps.tokenUsers.find(user);
      const row = await edit(deps.database, request, changes);
      await wakeRelayAndWait(deps, call, row);
      ctx.set('ETag', entityTag(row));
      ctx.body = fromRow(row);
    },
  });
}
