import type Router from '@koa/router';
import { countDownload } from '../content/count-download.ts';
import { PerItemQueue } from '../content/per-item-queue.ts';
import { rateContent, Rating } from '../content/rate-content.ts';
import { readJson } from '../http/read-json.ts';
import { validate } from '../http/validate.ts';
import type { State } from '../state.ts';
import { contentIdOf, type ContentDeps } from './route-helpers.ts';

export function ratingAndDownloadRoutes(router: Router<State>, { database, limits, tokenUsers }: ContentDeps): void {
  const perItemQueue = new PerItemQueue();

  router.put('/api/content/:id/rating', async (ctx) => {
    const contentId = contentIdOf(ctx);
    const { score } = validate(Rating, await readJson(ctx, limits.BODY_MAX_BYTES, ['application/json']));
    const userId = await tokenUsers.require(ctx.state.user);
    await perItemQueue.run(contentId, () => rateContent(database, contentId, userId, score));
    ctx.status = 204;
  });

  router.delete('/api/content/:id/rating', async (ctx) => {
    const contentId = contentIdOf(ctx);
    const userId = await tokenUsers.require(ctx.state.user);
    await perItemQueue.run(contentId, () => rateContent(database, contentId, userId, undefined));
    ctx.status = 204;
  });

  router.post('/api/content/:id/downloads', async (ctx) => {
    const contentId = contentIdOf(ctx);
    await perItemQueue.run(contentId, () => countDownload(database, contentId));
    ctx.status = 204;
  });
}
