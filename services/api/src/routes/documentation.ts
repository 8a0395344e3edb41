import Router from '@koa/router';
import type { State } from '../state.ts';

/** Public, because clients need the document before they have a token. */
export function documentationRoutes(document: object): Router<State> {
  const router = new Router<State>();
  // Serialized once, because the route is public and not rate-limited.
  const body = JSON.stringify(document);
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'json';
    ctx.body = body;
  });
  return router;
}
