import { getThumbnail as read } from '../content/thumbnail-store.ts';
import { IF_NONE_MATCH, knownThumbnails, NOT_MODIFIED, thumbnailTag } from '../http/entity-tag.ts';
import { Problem } from '../http/problem.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import { ITEMS_TAG } from './examples.ts';

const IMAGE = { schema: { type: 'string', format: 'binary', contentMediaType: 'image/*' } };
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

export function getThumbnail(): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}/thumbnail',
    cost: 'read',
    tag: ITEMS_TAG,
    operationId: 'getThumbnail',
    summary: 'Get the thumbnail, without metadata, with its verified media type',
    headers: IF_NONE_MATCH,
    responses: {
      200: {
        description: 'The image.',
        content: Object.fromEntries(IMAGE_TYPES.map((type) => [type, IMAGE])),
        headers: { ETag: { description: '`"tE"`: E is the number of edits of the item.', example: '"t0"' } },
      },
      304: NOT_MODIFIED,
    },
    errors: [{ problem: noThumbnail(), description: noThumbnail().message }],
    async handle(deps, { ctx, contentId }) {
      const thumbnail = await read(deps.database, contentId, knownThumbnails(ctx.get('if-none-match')));
      if (!thumbnail) throw noThumbnail();
      ctx.set({ ETag: thumbnailTag(thumbnail), 'Cache-Control': 'private, no-cache' });
      if (!thumbnail.bytes) return void (ctx.status = 304);
      ctx.body = thumbnail.bytes;
      ctx.type = thumbnail.mediaType;
    },
  });
}

function noThumbnail(): Problem {
  return new Problem(404, 'The item does not exist or has no thumbnail.');
}
