import type Router from '@koa/router';
import { countDownload, rateContent, Rating } from '../content/count.ts';
import { knownThumbnails, thumbnailTag } from '../http/entity-tag.ts';
import { getIndexStatus } from '../content/get-index-status.ts';
import { getThumbnail } from '../content/thumbnail-store.ts';
import { PerItemQueue } from '../content/per-item-queue.ts';
import { Problem } from '../http/problem.ts';
import { readJson } from '../http/read-json.ts';
import type { State } from '../state.ts';
import { validate } from '../http/validate.ts';
import { contentIdOf, type ContentDeps } from './route-helpers.ts';

/** What others do with an item, and what belongs to it: ratings, downloads, its thumbnail, its place in the index. */
export function reactionRoutes(router: Router<State>, { database, limits }: ContentDeps): void {
  const turns = new PerItemQueue();

  router.put('/api/content/:id/rating', async (ctx) => {
    const contentId = contentIdOf(ctx);
    const { score } = validate(Rating, await readJson(ctx, limits.BODY_MAX_BYTES, ['application/json']));
    await turns.run(contentId, () => rateContent(database, contentId, ctx.state.user.userId, score));
    ctx.status = 204;
  });

  router.delete('/api/content/:id/rating', async (ctx) => {
    const contentId = contentIdOf(ctx);
    await turns.run(contentId, () => rateContent(database, contentId, ctx.state.user.userId, undefined));
    ctx.status = 204;
  });

  router.post('/api/content/:id/downloads', async (ctx) => {
    const contentId = contentIdOf(ctx);
    await turns.run(contentId, () => countDownload(database, contentId));
    ctx.status = 204;
  });

  router.get('/api/content/:id/thumbnail', async (ctx) => {
    const thumbnail = await getThumbnail(database, contentIdOf(ctx), knownThumbnails(ctx.get('if-none-match')));
    if (!thumbnail) throw new Problem(404, 'There is no such item, or it has no thumbnail.');
    ctx.set({ ETag: thumbnailTag(thumbnail), 'Cache-Control': 'private, no-cache' });
    if (!thumbnail.bytes) return void (ctx.status = 304);
    ctx.body = thumbnail.bytes;
    ctx.type = thumbnail.mediaType;
  });

  router.get('/api/content/:id/index-status', async (ctx) => {
    ctx.body = await getIndexStatus(database, contentIdOf(ctx), ctx.state.user);
  });
}
