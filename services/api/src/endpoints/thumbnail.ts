import { getWithheldThumbnail } from '@ugc/items/changes/withheld-content';
import { getThumbnail as readThumbnail } from '@ugc/items/changes/thumbnail-store';
import { Problem } from '@ugc/items/problems/problem';
import { IF_NONE_MATCH, knownThumbnails, NOT_MODIFIED, thumbnailTag } from '../http/entity-tag.ts';
import { KeyParameters } from '../search/parameters.ts';
import { endpoint } from './endpoint.ts';

const IMAGE = { schema: { type: 'string', format: 'binary', contentMediaType: 'image/*' } };
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

function noSuchThumbnail(): Problem {
  return new Problem(404, 'thumbnail-unknown', 'The item does not exist or has no thumbnail.');
}

export function getThumbnail() {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}/thumbnail',
    cost: 'read',
    summary: 'Get the thumbnail, without metadata, with its verified media type',
    query: KeyParameters,
    headers: IF_NONE_MATCH,
    responses: {
      200: {
        description: 'The image.',
        content: Object.fromEntries(IMAGE_TYPES.map((type) => [type, IMAGE])),
        headers: { ETag: { description: '`"tE"`: E is the number of edits of the item.', example: '"t0"' } },
      },
      304: NOT_MODIFIED,
    },
    errors: [noSuchThumbnail()],
    async handle(deps, { ctx, ...call }) {
      const thumbnail = await readThumbnail(deps.database, call.contentId, knownThumbnails(ctx.get('if-none-match')));
      const found = thumbnail ?? (await getWithheldThumbnail(deps.database, call.contentId, { ...call.user, key: call.query.key }));
      if (!found) throw noSuchThumbnail();
      if (thumbnail) ctx.set({ ETag: thumbnailTag(thumbnail), 'Cache-Control': 'private, no-cache' });
      else ctx.set('Cache-Control', 'private, no-store');
      if (!found.bytes) return void (ctx.status = 304);
      ctx.body = found.bytes;
      ctx.type = found.mediaType;
    },
  });
}
