import type { Log } from '@ugc/shared/process/log';
import Router from '@koa/router';
import Koa from 'koa';
import { METHODS } from 'node:http';
import type { Keys } from './auth/keys.ts';
import type { ApiEnv } from './env.ts';
import type { ApiMetrics } from './observability/metrics.ts';
import { authenticate } from './middleware/authenticate.ts';
import { allowOrigins } from './middleware/allow-origins.ts';
import { closeWhenCrowded } from './middleware/close-when-crowded.ts';
import { discardUnreadBody } from './middleware/discard-unread-body.ts';
import { limitRate } from './middleware/limit-rate.ts';
import { limitFailedTokens } from './middleware/limit-failed-tokens.ts';
import { limitRequests } from './middleware/limit-requests.ts';
import { countUnreadAnswers, limitUnreadAnswers } from './middleware/limit-unread-answers.ts';
import { limitUploads } from './middleware/limit-uploads.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { requestLog } from './middleware/request-log.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { openApiDocument } from './openapi/document.ts';
import type { RateLimits } from './traffic/rate-limits.ts';
import type { ContentDeps } from './routes/route-helpers.ts';
import { contentRoutes } from './routes/content.ts';
import { documentationRoutes } from './routes/documentation.ts';
import { reactionRoutes } from './routes/reactions.ts';
import { editRoutes } from './routes/edit-and-delete.ts';
import { healthRoutes, type HealthDeps } from './routes/health.ts';
import type { State } from './state.ts';

export type AppDeps = ContentDeps & HealthDeps & { env: ApiEnv; keys: Keys; rateLimits: RateLimits; log: Log; metrics: ApiMetrics };

const HANG_UPS = new Set(['ECONNRESET', 'EPIPE']);

/** The whole API: what is above `authenticate` is open to everybody, what is below needs a token. */
export function createApp(deps: AppDeps): Koa<State> {
  const { env, keys, rateLimits, traffic } = deps;
  const app = new Koa<State>({ proxy: env.TRUST_PROXY > 0, maxIpsCount: env.TRUST_PROXY });
  const api = apiRouter(deps);
  app.use(requestLog(deps));
  app.use(securityHeaders());
  app.use(allowOrigins(env.CORS_ORIGINS));
  app.use(closeWhenCrowded(traffic.connections));
  app.use(discardUnreadBody());
  app.use(countUnreadAnswers(traffic.unread));
  app.use(handleErrors());
  app.use(healthRoutes(deps).routes());
  app.use(documentationRoutes(openApiDocument(deps.limits)).routes());
  app.use(limitFailedTokens(rateLimits));
  app.use(authenticate(keys, env));
  app.use(limitRate(rateLimits));
  app.use(limitUnreadAnswers(traffic.unread));
  app.use(limitRequests(traffic));
  app.use(limitUploads(traffic, env.BODY_MAX_BYTES));
  app.use(api.routes());
  app.use(api.allowedMethods());
  // A caller that hangs up is nothing to look into, and could fill the log.
  app.on('error', (err: NodeJS.ErrnoException) => {
    deps.log[HANG_UPS.has(err.code ?? '') ? 'debug' : 'warn']({ err }, 'an answer could not be sent');
  });
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
