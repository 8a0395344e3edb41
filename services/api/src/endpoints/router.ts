import Router from '@koa/router';
import type { State } from '../auth/authenticate.ts';
import type { Cost, Granted, RequestLimits } from '../limits/request-limits.ts';
import type { Endpoint, EndpointContext, EndpointDeps } from './endpoint.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Responds to requests for the public endpoints. Other methods of their paths are left to `apiRouter`. */
export function publicRouter(endpoints: Endpoint[], deps: EndpointDeps): Router<State> {
  const router = new Router<State>();
  for (const endpoint of endpoints.filter(({ cost }) => cost === 'public')) {
    router[endpoint.method](toRoute(endpoint.path), (ctx) => respond(endpoint, deps, ctx));
  }
  return router;
}

/** Responds to requests with a token for the paths of all endpoints, within the limits of the user. */
export function apiRouter(endpoints: Endpoint[], deps: EndpointDeps, runWithinLimits: RequestLimits): Router<State> {
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const [path, ofPath] of staticFirst(Map.groupBy(endpoints, (each) => each.path))) {
    router.all(toRoute(path), (ctx) => {
      const endpoint = ofPath.find(({ method }) => method.toUpperCase() === (ctx.method === 'HEAD' ? 'GET' : ctx.method));
      return runWithinLimits(ctx, costOf(ctx.method, ofPath), async (granted) => {
        if (!endpoint) return refuseMethod(ctx, ofPath);
        if (endpoint.cost === 'write') await deps.blockedUsers.assertMayWrite(ctx.state.user);
        await respond(endpoint, deps, ctx, granted);
        if (isJson(endpoint)) await deps.compress(ctx, granted.disconnected);
      });
    });
  }
  return router;
}

/** What a request costs, also if its method is not supported or there is no such path. */
export function costOf(method: string, ofPath: Endpoint[] = []): Cost {
  if (!SAFE_METHODS.has(method)) return 'write';
  const cost = ofPath.find((endpoint) => endpoint.method === 'get')?.cost ?? 'read';
  return cost === 'public' ? 'read' : cost;
}

// The path of one item also matches static paths beside it.
function staticFirst(byPath: Map<string, Endpoint[]>): [path: string, endpoints: Endpoint[]][] {
  return [...byPath].toSorted(([one], [other]) => Number(one.includes('{')) - Number(other.includes('{')));
}

/** The path as @koa/router writes it, which log and metrics contain: `/api/content/:id`. */
function toRoute(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

async function respond(endpoint: Endpoint, deps: EndpointDeps, ctx: EndpointContext, granted?: Granted): Promise<void> {
  ctx.state.route = toRoute(endpoint.path);
  await endpoint.handle(deps, ctx, granted);
}

function isJson({ responses }: Endpoint): boolean {
  return Object.values(responses).some(({ schema }) => schema !== undefined);
}

function refuseMethod(ctx: EndpointContext, ofPath: Endpoint[]): void {
  ctx.set('Allow', ofPath.flatMap(({ method }) => (method === 'get' ? ['HEAD', 'GET'] : method.toUpperCase())).join(', '));
  if (ctx.method === 'OPTIONS') ctx.body = '';
  else ctx.status = 405;
}
