import type { Log } from '@ugc/shared/log';
import Router from '@koa/router';
import Koa from 'koa';
import { METHODS } from 'node:http';
import type { Keys } from './auth/keys.ts';
import type { ApiEnv } from './env.ts';
import type { ApiMetrics } from './metrics.ts';
import { authenticate } from './middleware/authenticate.ts';
import { problems } from './middleware/problems.ts';
import { requestLog } from './middleware/request-log.ts';
import { openApiDocument } from './openapi/document.ts';
import type { ContentDeps } from './routes/content-request.ts';
import { contentRoutes } from './routes/content.ts';
import { documentationRoutes } from './routes/documentation.ts';
import { reactionRoutes } from './routes/reactions.ts';
import { editRoutes } from './routes/edits.ts';
import { healthRoutes, type HealthDeps } from './routes/health.ts';
import type { State } from './state.ts';

export type AppDeps = ContentDeps & HealthDeps & { env: ApiEnv; keys: Keys; log: Log; metrics: ApiMetrics };

/** The whole API: what is above `authenticate` is open to everybody, what is below needs a token. */
export function createApp(deps: AppDeps): Koa<State> {
  const app = new Koa<State>();
  const api = apiRouter(deps);
  app.use(requestLog(deps));
  app.use(problems());
  app.use(healthRoutes(deps).routes());
  app.use(documentationRoutes(openApiDocument(deps.limits)).routes());
  app.use(authenticate(deps.keys, deps.env));
  app.use(api.routes());
  app.use(api.allowedMethods());
  app.on('error', (err: unknown) => deps.log.warn({ err }, 'an answer could not be sent'));
  return app;
}

export function apiRouter(deps: ContentDeps): Router<State> {
  // All methods are known, so that one without a route is 405 where there is a path and 404 where there is none.
  const router = new Router<State>({ strict: true, sensitive: true, methods: METHODS });
  contentRoutes(router, deps);
  editRoutes(router, deps);
  reactionRoutes(router, deps);
  return router;
}
