import Router from '@koa/router';
import type { State } from '../state.ts';

/** The API's description of itself; open, since a client needs it before it has a token. */
export function documentationRoutes(document: object): Router<State> {
  const router = new Router<State>();
  // Printed once: everybody may ask, as often as they like.
  const body = JSON.stringify(document);
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'json';
    ctx.body = body;
  });
  return router;
}
