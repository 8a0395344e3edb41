import { createLog } from '@ugc/shared/process/log';
import { unlessAborted } from '@ugc/shared/timing/unless-aborted';
import { SignJWT } from 'jose';
import { randomBytes, randomUUID } from 'node:crypto';
import { Histogram } from 'prom-client';
import { createApp, type AppDeps } from './app.ts';
import { openKeys } from './auth/keys.ts';
import { listen } from './http/server.ts';
import { createTraffic, type Traffic } from './limits/traffic.ts';

/** About thirty lists with a prompt, or a hundred reads of one item. */
const WARM_UP_MS = 600;
/** Also while a store hangs, the process starts after this time. */
const WARM_UP_MAX_MS = 1_500;
/** No user has this id, so that nothing is stored. */
const NOBODY = Number.MAX_SAFE_INTEGER;
const UPLOAD = JSON.stringify({ creatorId: NOBODY, name: 'warm up', description: '', version: 1, data: '', tags: [] });
const SOME_ITEM = 'select content_id, left(name, 50) as name from content where deleted_at is null limit 1';

type WarmUpRequest = { path: string; body?: string };

/** What replaces the settings, so that the token of the warm-up is valid and the port is a free one. */
const SETTINGS = {
  JWT_PUBLIC_KEY: undefined,
  JWT_JWKS_URL: undefined,
  JWT_ISSUER: undefined,
  JWT_AUDIENCE: undefined,
  JWT_REQUIRE_EXPIRY: false,
  BIND_ADDRESS: '127.0.0.1',
  PORT: 0,
};

/**
 * Handles frequent requests before the process accepts any: it connects to the stores, prepares statements, and
 * compiles code. The requests go to a server of their own with a secret of its own, so that they need no token, and are
 * neither logged nor counted in metrics. A store that is unavailable does not keep the process from starting.
 */
export async function warmUp(deps: AppDeps): Promise<void> {
  const traffic = createTraffic(deps.env);
  await warmUpWith(deps, traffic).catch(() => undefined);
  traffic.load.close();
}

async function warmUpWith(deps: AppDeps, traffic: Traffic): Promise<void> {
  const env = { ...deps.env, ...SETTINGS };
  const secret = randomBytes(32).toString('hex');
  const log = createLog('api', env.LOG_LEVEL, { write: () => undefined });
  const metrics = { ...deps.metrics, requestDuration: histogram() };
  const app = createApp({ ...deps, env, keys: openKeys({ ...env, JWT_SECRET: secret }), log, metrics, traffic });
  const server = await listen(app, { env, connections: traffic.connections, onDrop: () => undefined });
  const sign = (): Promise<string> => signToken(secret, env.JWT_USER_CLAIM);
  await sendAll(deps, `http://127.0.0.1:${server.port}`, sign).finally(() => void server.close());
}

const histogram = (): AppDeps['metrics']['requestDuration'] =>
  new Histogram({ name: 'warm_up', help: 'not exported', labelNames: ['method', 'route', 'status'], registers: [] });

/** Each token differs, because the verification of a token is remembered. */
async function signToken(secret: string, userClaim: string): Promise<string> {
  const token = new SignJWT({ [userClaim]: String(NOBODY), jti: randomUUID() }).setProtectedHeader({ alg: 'HS256' });
  return token.sign(new TextEncoder().encode(secret));
}

async function sendAll({ database }: AppDeps, url: string, sign: () => Promise<string>): Promise<void> {
  const signal = AbortSignal.timeout(WARM_UP_MAX_MS);
  let end = performance.now() + WARM_UP_MS;
  const send = async ({ path, body }: WarmUpRequest): Promise<void> => {
    const headers = { authorization: `Bearer ${await sign()}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { headers, signal, ...(body !== undefined && { method: 'POST', body }) });
    await response.arrayBuffer();
    // The stores may be starting, and need the processor.
    if (response.status >= 500) end = 0;
  };
  const repeat = async (request: WarmUpRequest): Promise<void> => {
    while (performance.now() < end) await send(request);
  };
  const [item] = await unlessAborted(signal, database.query<{ content_id: number; name: string }>(SOME_ITEM));
  await Promise.all(requestsFor(item?.content_id ?? NOBODY, item?.name ?? 'warm up').map(repeat));
}

function requestsFor(contentId: number, prompt: string): WarmUpRequest[] {
  return [
    { path: `/api/content/${contentId}` },
    { path: '/api/content?size=10' },
    { path: `/api/content?${new URLSearchParams({ size: '10', prompt })}` },
    { path: '/content', body: UPLOAD },
  ];
}
