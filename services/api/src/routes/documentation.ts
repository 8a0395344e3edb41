import Router from '@koa/router';
import type { State } from '../state.ts';

/** The API's description of itself; open, since a client needs it before it has a token. */
export function documentationRoutes(document: object): Router<State> {
  const router = new Router<State>();
  router.get('/openapi.json', (ctx) => {
    ctx.body = document;
  });
  return router;
}
