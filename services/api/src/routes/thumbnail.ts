import type Router from '@koa/router';
import { getThumbnail } from '../content/thumbnail-store.ts';
import { knownThumbnails, thumbnailTag } from '../http/entity-tag.ts';
import { Problem } from '../http/problem.ts';
import type { State } from '../state.ts';
import { contentIdOf, type ContentDeps } from './route-helpers.ts';

export function thumbnailRoute(router: Router<State>, { database }: ContentDeps): void {
  router.get('/api/content/:id/thumbnail', async (ctx) => {
    const thumbnail = await getThumbnail(database, contentIdOf(ctx), knownThumbnails(ctx.get('if-none-match')));
    if (!thumbnail) throw new Problem(404, 'The item does not exist or has no thumbnail.');
    ctx.set({ ETag: thumbnailTag(thumbnail), 'Cache-Control': 'private, no-cache' });
    if (!thumbnail.bytes) return void (ctx.status = 304);
    ctx.body = thumbnail.bytes;
    ctx.type = thumbnail.mediaType;
  });
}
