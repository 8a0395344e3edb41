import type { Log } from '@ugc/shared/process/log';
import Router from '@koa/router';
import Koa from 'koa';
import { METHODS } from 'node:http';
import type { Keys } from './auth/keys.ts';
import type { ApiEnv } from './env.ts';
import type { ApiMetrics } from './operators/metrics.ts';
import { authenticate } from './middleware/authenticate.ts';
import { allowOrigins } from './middleware/allow-origins.ts';
import { closeWhenCrowded } from './middleware/close-when-crowded.ts';
import { discardUnreadBody } from './middleware/discard-unread-body.ts';
import { limitRate } from './middleware/limit-rate.ts';
import { limitFailedTokens } from './middleware/limit-failed-tokens.ts';
import { limitRequests } from './middleware/limit-requests.ts';
import { countUnreadResponses, limitUnreadResponses } from './middleware/limit-unread-responses.ts';
import { limitUploads } from './middleware/limit-uploads.ts';
import { onlyReads } from './middleware/only-reads.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { requestLog } from './middleware/request-log.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { openApiDocument } from './openapi/document.ts';
import { documentationPage } from './pages/documentation-page.ts';
import { staticFileRoutes } from './pages/static-file-routes.ts';
import { webPage } from './pages/web-page.ts';
import type { RateLimits } from './traffic/rate-limits.ts';
import type { ContentDeps } from './routes/route-helpers.ts';
import { contentRoutes } from './routes/content.ts';
import { documentationRoutes } from './pages/openapi-route.ts';
import { editAndDeleteRoutes } from './routes/edit-and-delete.ts';
import { FACETS_PATH, facetsRoute } from './routes/facets.ts';
import { healthRoutes, type HealthDeps } from './routes/health.ts';
import { indexStatusRoute } from './routes/index-status.ts';
import { ownUserRoutes } from './routes/own-user.ts';
import { ratingAndDownloadRoutes } from './routes/ratings-and-downloads.ts';
import { SUGGEST_PATH, suggestRoute } from './routes/suggest.ts';
import { thumbnailRoute } from './routes/thumbnail.ts';
import type { State } from './state.ts';

export type AppDeps = ContentDeps & HealthDeps & { env: ApiEnv; keys: Keys; rateLimits: RateLimits; log: Log; metrics: ApiMetrics };

const CLIENT_DISCONNECTED_CODES = new Set(['ECONNRESET', 'EPIPE']);

/** Builds the middleware stack. Routes above `authenticate` are public; routes below it require a token. */
export function createApp(deps: AppDeps): Koa<State> {
  const { env, keys, rateLimits, traffic } = deps;
  const app = new Koa<State>({ proxy: env.TRUST_PROXY > 0, maxIpsCount: env.TRUST_PROXY });
  const api = apiRouter(deps);
  app.use(requestLog(deps));
  app.use(securityHeaders());
  app.use(allowOrigins(env.CORS_ORIGINS));
  app.use(closeWhenCrowded(traffic.connections));
  app.use(discardUnreadBody());
  app.use(countUnreadResponses(traffic.unread));
  app.use(handleErrors(deps));
  app.use(healthRoutes(deps).routes());
  app.use(documentationRoutes(openApiDocument(deps.limits)).routes());
  app.use(staticFileRoutes([...documentationPage(), ...webPage(env)]).routes());
  app.use(limitFailedTokens(rateLimits));
  app.use(authenticate(keys, env));
  app.use(limitRate(rateLimits));
  app.use(limitUnreadResponses(traffic.unread));
  app.use(limitRequests(traffic));
  app.use(limitUploads(traffic, env.BODY_MAX_BYTES));
  app.use(onlyReads([FACETS_PATH, SUGGEST_PATH]));
  app.use(api.routes());
  app.use(api.allowedMethods());
  // A client that disconnects is not an error, and could fill the log.
  app.on('error', (err: NodeJS.ErrnoException) => {
    deps.log[CLIENT_DISCONNECTED_CODES.has(err.code ?? '') ? 'debug' : 'warn']({ err }, 'response could not be sent');
  });
  return app;
}

export function apiRouter(deps: ContentDeps): Router<State> {
  // With all methods listed, every unsupported method of an existing path gets 405 instead of 404.
  const router = new Router<State>({ strict: true, sensitive: true, methods: METHODS });
  // Before the route of one item, which matches the same paths.
  facetsRoute(router, deps);
  suggestRoute(router, deps);
  contentRoutes(router, deps);
  editAndDeleteRoutes(router, deps);
  ratingAndDownloadRoutes(router, deps);
  thumbnailRoute(router, deps);
  indexStatusRoute(router, deps);
  ownUserRoutes(router, deps);
  return router;
}
