import { SignJWT } from 'jose';
import type Koa from 'koa';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Histogram } from 'prom-client';
import { createApp, type AppDeps } from './app.ts';
import { openKeys } from './auth/keys.ts';
import type { State } from './state.ts';
import { createTraffic } from './traffic/traffic.ts';

/** Also while a store hangs, the process starts after this time. */
const WARM_UP_MAX_MS = 1_500;
const TIMES = 8;
/** No user and no item has this id, so that nothing is found and nothing is stored. */
const NOBODY = Number.MAX_SAFE_INTEGER;

const REQUESTS: { path: string; body?: string }[] = [
  { path: `/api/content/${NOBODY}` },
  { path: '/api/content?size=10' },
  { path: '/api/content?size=10&prompt=warm+up' },
  { path: '/content', body: JSON.stringify({ creatorId: NOBODY, name: 'warm up', description: '', version: 1, data: '', tags: [] }) },
];

/**
 * Handles frequent requests before the process accepts any: it connects to the stores, prepares statements, and
 * compiles code. The requests go to an app of their own with a secret of its own, so that they need no token, and are
 * neither logged nor counted. A store that is unavailable does not keep the process from starting.
 */
export async function warmUp(deps: AppDeps): Promise<void> {
  const secret = randomBytes(32).toString('hex');
  const env = { ...deps.env, JWT_ISSUER: undefined, JWT_AUDIENCE: undefined, JWT_REQUIRE_EXPIRY: false };
  const log = pino({ level: 'silent' });
  const traffic = createTraffic(deps.env);
  const requestDuration = new Histogram({
    name: 'warm_up',
    help: 'not exported',
    labelNames: ['method', 'route', 'status'],
    registers: [],
  });
  const metrics = { ...deps.metrics, requestDuration };
  const rateLimits = { count: () => Promise.resolve(), close: () => undefined };
  const app = createApp({ ...deps, env, keys: openKeys({ JWT_SECRET: secret }), log, metrics, traffic, rateLimits });
  const token = await signToken(secret, env.JWT_USER_CLAIM);
  await sendAll(app, token).catch(() => undefined);
  traffic.load.close();
}

async function signToken(secret: string, userClaim: string): Promise<string> {
  const token = new SignJWT({ [userClaim]: String(NOBODY) }).setProtectedHeader({ alg: 'HS256' });
  return token.sign(new TextEncoder().encode(secret));
}

async function sendAll(app: Koa<State>, token: string): Promise<void> {
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(WARM_UP_MAX_MS);
  const send = async ({ path, body }: (typeof REQUESTS)[number]): Promise<void> => {
    const response = await fetch(`${url}${path}`, { headers, signal, ...(body !== undefined && { method: 'POST', body }) });
    await response.arrayBuffer();
  };
  const repeat = async (request: (typeof REQUESTS)[number]): Promise<void> => {
    for (let n = 0; n < TIMES; n += 1) await send(request);
  };
  await Promise.all(REQUESTS.map(repeat)).finally(() => {
    server.close();
    server.closeAllConnections();
  });
}
