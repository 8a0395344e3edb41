import type Router from '@koa/router';
import { countDownload, rateContent, Rating } from '../content/count.ts';
import { knownThumbnails, thumbnailTag } from '../content/entity-tag.ts';
import { getIndexStatus } from '../content/get-index-status.ts';
import { getThumbnail } from '../content/thumbnail-store.ts';
import { Turns } from '../content/turns.ts';
import { Problem } from '../problem.ts';
import { readJson } from '../read-json.ts';
import type { State } from '../state.ts';
import { validate } from '../validate.ts';
import { contentIdOf, type ContentDeps } from './content-request.ts';

/** What others do with an item, and what belongs to it: ratings, downloads, its thumbnail, its place in the index. */
export function reactionRoutes(router: Router<State>, { database, limits }: ContentDeps): void {
  const turns = new Turns();

  router.put('/api/content/:id/rating', async (ctx) => {
    const contentId = contentIdOf(ctx);
    const { score } = validate(Rating, await readJson(ctx, limits.BODY_MAX_BYTES, ['application/json']));
    await turns.take(contentId, () => rateContent(database, contentId, ctx.state.caller.userId, score));
    ctx.status = 204;
  });

  router.delete('/api/content/:id/rating', async (ctx) => {
    const contentId = contentIdOf(ctx);
    await turns.take(contentId, () => rateContent(database, contentId, ctx.state.caller.userId, undefined));
    ctx.status = 204;
  });

  router.post('/api/content/:id/downloads', async (ctx) => {
    const contentId = contentIdOf(ctx);
    await turns.take(contentId, () => countDownload(database, contentId));
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
    ctx.body = await getIndexStatus(database, contentIdOf(ctx), ctx.state.caller);
  });
}
