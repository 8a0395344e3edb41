import Router from '@koa/router';
import { staticFile } from './static-file.ts';
import { sendFile } from './static-file-routes.ts';
import type { State } from '../state.ts';

/** Public, because clients need the document before they have a token. */
export function documentationRoutes(document: object): Router<State> {
  const router = new Router<State>();
  // Serialized and compressed once, because the route is public and not rate-limited.
  const file = staticFile({ path: '/openapi.json', fileName: 'openapi.json', content: JSON.stringify(document), isImmutable: false });
  router.get(file.path, (ctx) => sendFile(ctx, file));
  return router;
}
