import Router from '@koa/router';
import type { Context } from 'koa';
import type { State } from '../state.ts';
import { respondWith, type StaticFile } from './static-file.ts';

/** Public: pages are loaded before there is a token, and contain no data. */
export function staticFileRoutes(files: StaticFile[]): Router<State> {
  const router = new Router<State>({ sensitive: true });
  for (const file of files) {
    router.all(file.path, (ctx) => sendFile(ctx, file));
  }
  return router;
}

export async function sendFile(ctx: Context, file: StaticFile): Promise<void> {
  const { status, headers, body } = await respondWith(file, ctx.req);
  const { Vary: vary, ...others } = headers;
  // Other middleware may have added fields to Vary.
  if (vary !== undefined) ctx.vary(vary);
  ctx.status = status;
  ctx.set(others);
  if (body) ctx.body = body;
}
