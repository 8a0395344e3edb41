import type Router from '@koa/router';
import { getIndexStatus } from '../content/get-index-status.ts';
import type { State } from '../state.ts';
import { contentIdOf, type ContentDeps } from './route-helpers.ts';

export function indexStatusRoute(router: Router<State>, { database, tokenUsers }: ContentDeps): void {
  router.get('/api/content/:id/index-status', async (ctx) => {
    await tokenUsers.find(ctx.state.user);
    ctx.body = await getIndexStatus(database, contentIdOf(ctx), ctx.state.user);
  });
}
