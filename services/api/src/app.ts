import type { Log } from '@ugc/shared/log';
import Koa from 'koa';
import type { Keys } from './auth/keys.ts';
import type { ApiEnv } from './env.ts';
import type { ApiMetrics } from './metrics.ts';
import { authenticate } from './middleware/authenticate.ts';
import { problems } from './middleware/problems.ts';
import { requestLog } from './middleware/request-log.ts';
import { openApiDocument } from './openapi.ts';
import { contentRoutes, type ContentDeps } from './routes/content.ts';
import { documentationRoutes } from './routes/documentation.ts';
import { healthRoutes, type HealthDeps } from './routes/health.ts';
import type { State } from './state.ts';

export type AppDeps = ContentDeps & HealthDeps & { env: ApiEnv; keys: Keys; log: Log; metrics: ApiMetrics };

/** The whole API: what is above `authenticate` is open to everybody, what is below needs a token. */
export function createApp(deps: AppDeps): Koa<State> {
  const app = new Koa<State>();
  const content = contentRoutes(deps);
  app.use(requestLog(deps));
  app.use(problems());
  app.use(healthRoutes(deps).routes());
  app.use(documentationRoutes(openApiDocument(deps.limits)).routes());
  app.use(authenticate(deps.keys, deps.env));
  app.use(content.routes());
  app.use(content.allowedMethods());
  app.on('error', (err: unknown) => deps.log.warn({ err }, 'an answer could not be sent'));
  return app;
}
