import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { authenticate, type State } from '@ugc/api/auth/authenticate';
import type { Keys } from '@ugc/api/auth/keys';
import { handleErrors } from '@ugc/api/http/handle-errors';
import { FailedTokens } from '@ugc/api/limits/failed-tokens';
import { rateExceeded } from '@ugc/api/limits/rate-limits';
import { createLog } from '@ugc/shared/process/log';
import Koa from 'koa';
import { createSecretKey } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultEnv } from '../support/processes/default-env.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

// The address of the client is above its limit after three invalid tokens.
let server: Server;
let [failed, verifying, mostVerifying] = [0, 0, 0];
let held: Promise<void> | undefined;
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const send = async (token: string): Promise<number> => (await fetch(url(), { headers: { authorization: `Bearer ${token}` } })).status;
const invalid = (n: number): string =>
  [
    { alg: 'HS256', typ: 'JWT' },
    { sub: '1', jti: n },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.') + '.eA';

beforeAll(async () => {
  const env = defaultEnv();
  const key = createSecretKey(Buffer.from(env.JWT_SECRET ?? ''));
  const find = async () => {
    verifying += 1;
    mostVerifying = Math.max(mostVerifying, verifying);
    await held;
    verifying -= 1;
    return key;
  };
  const keys: Keys = { algorithms: ['HS256'], find, onFetch: () => undefined };
  const count = async (): Promise<Record<string, string>> => {
    failed += 1;
    if (failed > 3) throw rateExceeded(3, 'requests without a valid token', 60);
    return {};
  };
  const failedTokens = new FailedTokens({ count, close: () => undefined });
  const app = new Koa<State>();
  app.use(
    handleErrors({
      log: createLog('test', 'silent'),
      lacksMigration: () => Promise.resolve(false),
      isLogged: () => false,
      isOutage: () => false,
    }),
  );
  app.use(failedTokens.count());
  app.use(authenticate(keys, env, (ctx) => failedTokens.waitToVerify(ctx)));
  app.use((ctx) => void (ctx.status = 204));
  const handle = app.callback();
  server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('above the limit of an address its unknown tokens are verified one at a time, and valid ones are accepted', async () => {
  const remembered = await tokenOf(1);
  expect(await send(remembered)).toBe(204);
  expect(await Promise.all([0, 1, 2].map((n) => send(invalid(n))))).toEqual([403, 403, 403]);
  expect(await send(invalid(3))).toBe(429);
  const { promise, resolve } = Promise.withResolvers<void>();
  [held, mostVerifying] = [promise, 0];
  const guesses = Array.from({ length: 20 }, (_, n) => send(invalid(10 + n)));
  await until('one is verified', () => verifying === 1);
  expect(await send(remembered)).toBe(204);
  const valid = send(await tokenOf(2));
  resolve();
  expect(await valid).toBe(204);
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([429]));
  expect(mostVerifying).toBe(1);
});
