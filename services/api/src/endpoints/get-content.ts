import { ContentItem, fromRow, withTags } from '../content/content-item.ts';
import { getContent as read } from '../content/get-content.ts';
import { entityTag, ETAG, IF_NONE_MATCH, isNotModified, NOT_MODIFIED } from '../http/entity-tag.ts';
import { ItemParameters } from '../search/parameters.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { EXAMPLE_ITEM, ITEMS_TAG } from './examples.ts';

export function getContent(): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}',
    cost: 'read',
    tag: ITEMS_TAG,
    operationId: 'getContent',
    summary: 'Get a content item',
    query: { schema: ItemParameters, invalid: 'include=all' },
    headers: IF_NONE_MATCH,
    responses: { 200: { description: 'The item.', schema: ContentItem, example: EXAMPLE_ITEM, headers: ETAG }, 304: NOT_MODIFIED },
    async handle(deps, call) {
      const { ctx, query } = call;
      const row = await read(deps.reader, call.contentId);
      ctx.set({ ETag: entityTag(row), 'Cache-Control': 'private, no-cache' });
      if (isNotModified(ctx.get('if-none-match'), entityTag(row))) ctx.status = 304;
      else ctx.body = withTags(fromRow(row), row.tags, query.include === 'tags');
    },
  });
}
