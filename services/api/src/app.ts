import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import type { Log } from '@ugc/shared/process/log';
import Koa from 'koa';
import { authenticate, type State } from './auth/authenticate.ts';
import type { Keys } from './auth/keys.ts';
import { providerFinder } from './auth/provider.ts';
import { contentReader } from '@ugc/items/changes/get-content';
import { PerItemQueue } from '@ugc/items/changes/ratings';
import type { EndpointDeps, OpenApiFiles } from './endpoints/endpoint.ts';
import { allEndpoints } from './endpoints/endpoints.ts';
import { toOpenApi30 } from './endpoints/openapi-3.0.ts';
import { openApiDocument } from './endpoints/openapi.ts';
import { apiRouter, costOf, publicRouter } from './endpoints/router.ts';
import { publicPathOf, type ApiEnv } from './env.ts';
import { discardUnreadBody } from './http/body.ts';
import { handleErrors } from './http/handle-errors.ts';
import { documentationPage } from './http/pages/documentation-page.ts';
import { webPage } from './http/pages/html-page.ts';
import { missingPages } from './http/pages/missing-page.ts';
import { serveFiles, staticFile, type StaticFile } from './http/pages/static-file.ts';
import { requestLog, traceRequest } from './http/request-log.ts';
import { allowOrigins, refusePreflights, securityHeaders } from './http/security-headers.ts';
import { FailedTokens } from './limits/failed-tokens.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import { requestLimits } from './limits/request-limits.ts';
import { responseCompression } from './limits/response-compression.ts';
import { StoreSilent } from './limits/store-answers.ts';
import type { ApiMetrics } from './operators/metrics.ts';
import type { ListResponse } from './search/list.ts';
import { SharedLists } from './search/shared-lists.ts';
import { isOutage, isStoreFailure, SearchFailed } from './search/response.ts';

type OwnDeps = Pick<EndpointDeps, 'reader' | 'lists' | 'perItemQueue' | 'documents' | 'compress' | 'publicPath'>;
export type AppDeps = Omit<EndpointDeps, keyof OwnDeps> & {
  env: ApiEnv;
  keys: Keys;
  rateLimits: RateLimits;
  log: Log;
  metrics: ApiMetrics;
};

const CLIENT_DISCONNECTED_CODES = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Builds the middleware stack. What is above `authenticate` is public; what is below it requires a token. */
export function createApp(deps: AppDeps): Koa<State> {
  const { env, keys, rateLimits, traffic, readiness, log } = deps;
  const app = new Koa<State>({ proxy: env.TRUST_PROXY > 0, maxIpsCount: env.TRUST_PROXY });
  const lacksMigration = async (): Promise<boolean> => (await readiness()).missingMigrations !== undefined;
  const runWithinLimits = requestLimits({ ...deps, isOutage });
  const failedTokens = new FailedTokens(rateLimits);
  const endpoints = allEndpoints(deps.limits);
  const own = { reader: contentReader(deps.database), lists: new SharedLists<ListResponse>(), perItemQueue: new PerItemQueue() };
  const publicPath = publicPathOf(env);
  const endpointDeps = {
    ...deps,
    ...own,
    documents: openApiFiles(deps, publicPath),
    publicPath,
    compress: responseCompression(deps.traffic),
  };
  app.use(traceRequest());
  app.use(requestLog(deps));
  app.use(securityHeaders());
  app.use(allowOrigins(env.CORS_ORIGINS));
  app.use(discardUnreadBody());
  app.use(traffic.unread.count());
  app.use(handleErrors({ ...deps, lacksMigration, isLogged, isStoreFailure: isFaultOfStore }));
  app.use(refusePreflights(env.CORS_ORIGINS));
  app.use(publicRouter(endpoints, endpointDeps).routes());
  const findProvider = env.OIDC_CLIENT_ID === undefined ? undefined : providerFinder(env, log);
  // The first visitor shall not wait for it.
  void findProvider?.();
  const pages = webPage(env, { findProvider, findFields: () => deps.declaredFields.find() });
  app.use(serveFiles([...documentationPage(env), ...pages]));
  app.use(missingPages(pages, env));
  app.use(failedTokens.count());
  app.use(authenticate(keys, env, (ctx) => failedTokens.waitToVerify(ctx)));
  app.use(apiRouter(endpoints, endpointDeps, runWithinLimits).routes());
  // Requests for unknown paths get 404, within the limits of the user.
  app.use((ctx) => runWithinLimits(ctx, costOf(ctx.method), () => Promise.resolve()));
  // A client that disconnects is not an error, and could fill the log.
  app.on('error', (err: NodeJS.ErrnoException) => {
    deps.log[CLIENT_DISCONNECTED_CODES.has(err.code ?? '') ? 'debug' : 'warn']({ err }, 'response could not be sent');
  });
  return app;
}

/** Serialized and compressed once for the same definitions, because the endpoints are public and not rate-limited. */
function openApiFiles({ limits, declaredFields }: Pick<AppDeps, 'limits' | 'declaredFields'>, publicPath: string): () => OpenApiFiles {
  const make = (declared: Definitions): OpenApiFiles => filesOf(openApiDocument(limits, publicPath, declared));
  let latest = { declared: NO_FIELDS, files: make(NO_FIELDS) };
  return () => {
    const declared = declaredFields.known;
    if (latest.declared !== declared) latest = { declared, files: make(declared) };
    return latest.files;
  };
}

function filesOf(document: ReturnType<typeof openApiDocument>): OpenApiFiles {
  const file = (name: string, content: object): StaticFile =>
    staticFile({ path: `/${name}`, fileName: name, content: JSON.stringify(content), isImmutable: false });
  return { document: file('openapi.json', document), document30: file('openapi-3.0.json', toOpenApi30(document)) };
}

function isFaultOfStore(error: unknown): boolean {
  return error instanceof StoreSilent || isStoreFailure(error);
}

/** `IndexLookup` logs why an index cannot be searched. */
function isLogged(error: unknown): boolean {
  return error instanceof SearchFailed && error.forOperators;
}
