import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { signDevelopmentToken } from '@ugc/api/commands/development-token';
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair, importPKCS8, SignJWT, type CryptoKey, type JWK } from 'jose';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { countContent } from '../support/database/stored-content.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { problemsOnPage } from '../support/http/operations-status.ts';
import { expectProblem } from '../support/http/problems.ts';
import { head, parseRaw, sendRaw } from '../support/http/raw-http.ts';
import { scrape } from '../support/http/scrape.ts';
import { encode, flipBit, hmacToken, rsaToken } from '../support/http/raw-token.ts';
import { inOneHour, SECRET, sign, tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import type { Environment } from '../support/processes/environment.ts';
import { startService } from '../support/processes/service.ts';
import { startHttpServer, type HttpServer } from '../support/servers/http-server.ts';

const HS256 = { alg: 'HS256', typ: 'JWT' };
const now = (): number => Math.floor(Date.now() / 1_000);
const claims = (changes: object = {}): Record<string, unknown> => ({ sub: '1', exp: inOneHour(), ...changes });
const token = (changes: object = {}, header: object = HS256): string => hmacToken(header, claims(changes));

const UPLOAD = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });
const ENDPOINTS: [method: string, path: string, success: number][] = [
  ['GET', '/api/content', 200],
  ['GET', '/api/content/1', 200],
  ['POST', '/content', 201],
];

describe('authentication', () => {
  const service = forAllTests(() => startService());
  let stored: number;
  beforeAll(async () => {
    await service.client.upload();
    stored = await countContent(service.database);
  });

  const call = (method: string, path: string, headers: Record<string, string>): Promise<ApiResponse> =>
    service.client.request(method, path, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'POST' && { body: UPLOAD }),
    });

  async function expectForbidden(headers: Record<string, string>, query = ''): Promise<void> {
    for (const [method, path] of ENDPOINTS) {
      const response = await call(method, path + query, headers);
      expectProblem(response, 403);
      expect(response.body).toMatchObject({ detail: expect.stringContaining('bearer token'), instance: path });
      expect(response.headers.has('www-authenticate')).toBe(false);
    }
    expect(await countContent(service.database)).toBe(stored);
  }

  async function expectAccepted(headers: Record<string, string>): Promise<void> {
    for (const [method, path, success] of ENDPOINTS) {
      expect(await call(method, path, headers)).toMatchObject({ status: success });
      if (method === 'POST') stored += 1;
    }
    expect(await countContent(service.database)).toBe(stored);
  }

  it('accepts a valid token at every endpoint', () => expectAccepted({ authorization: `Bearer ${token()}` }));

  it.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['a token in a cookie', { cookie: `token=${token()}; Authorization=Bearer%20${token()}` }],
    ['an unsigned token', { authorization: `Bearer ${encode({ alg: 'none' })}.${encode(claims())}.` }],
    ['the signature of another token', { authorization: `Bearer ${flipBit(token(), 1)}` }],
    ['a token that has expired', { authorization: `Bearer ${token({ exp: now() - 1 })}` }],
  ])('returns 403 from every endpoint, and stores nothing, for a request with %s', (_, headers) => expectForbidden(headers));

  it('returns 403 for a token in the query', () => expectForbidden({}, `?access_token=${token()}&token=${token()}`));

  it('two Authorization headers in one request are 403, even if the first was valid in the request before', async () => {
    const remembered = `Authorization: Bearer ${token()}`;
    const statusWith = async (...headers: string[]): Promise<number> =>
      parseRaw(await sendRaw(service.client.baseUrl, head('GET', '/api/content', [...headers, 'Connection: close']))).status;
    expect(await statusWith(remembered)).toBe(200);
    expect(await statusWith(remembered, 'Authorization: Bearer x.y.z')).toBe(403);
  });

  it.each<[string, string, string, string | undefined, Record<string, string>]>([
    ['an unknown path', 'GET', '/nowhere', undefined, {}],
    ['a path above the resources', 'GET', '/api', undefined, {}],
    ['a wrong method', 'DELETE', '/api/content/1', undefined, {}],
    ['OPTIONS', 'OPTIONS', '/content', undefined, {}],
    ['parameters that are not valid', 'GET', '/api/content?size=0&page=x', undefined, {}],
    ['a query that is not UTF-8', 'GET', '/api/content?prompt=%FF', undefined, {}],
    ['an id that is none', 'GET', '/api/content/abc', undefined, {}],
    ['a body that is not JSON', 'POST', '/content', '{', { 'content-type': 'application/json' }],
    ['a body of another type', 'POST', '/content', 'x', { 'content-type': 'text/plain' }],
    ['a compressed body', 'POST', '/content', 'x', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('is checked before the request is processed: %s', async (_, method, path, body, headers) => {
    expectProblem(await service.client.request(method, path, { headers, ...(body !== undefined && { body }) }), 403);
    expect(await countContent(service.database)).toBe(stored);
  });

  it('returns the same response for a forged token, also one that has expired, and a malformed one', async () => {
    const responses = await Promise.all(
      [flipBit(token({ exp: 1 }), 2), flipBit(token(), 2), 'x'].map((bad) =>
        call('GET', '/api/content', { authorization: `Bearer ${bad}` }),
      ),
    );
    const bodies = responses.map(({ body: { requestId: _, ...body } }) => body);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });

  it('accepts a token until it expires, and never afterwards, also when it was accepted before', async () => {
    const exp = now() + 2;
    const read = () => call('GET', '/api/content/1', { authorization: `Bearer ${token({ exp })}` });
    expect((await read()).status).toBe(200);
    await until('it has expired', async () => {
      const isOver = now() > exp;
      const { status } = await read();
      if (isOver) expect(status).toBe(403);
      return status === 403;
    });
    expect(now()).toBeGreaterThanOrEqual(exp);
  });

  it('a token that was accepted is only accepted as it is', async () => {
    const valid = token();
    expect((await call('GET', '/api/content/1', { authorization: `Bearer ${valid}` })).status).toBe(200);
    for (const changed of [`${valid}x`, valid.slice(0, -1), flipBit(valid, 1), flipBit(valid, 2)])
      expectProblem(await call('GET', '/api/content/1', { authorization: `Bearer ${changed}` }), 403);
  });

  it('never returns parts of a token in a response', async () => {
    const valid = await tokenOf(1);
    for (const [method, path] of ENDPOINTS) {
      const { text } = await call(method, path, { authorization: `Bearer ${valid}` });
      if (method === 'POST') stored += 1;
      for (const segment of valid.split('.')) expect(text).not.toContain(segment);
    }
  });
});

describe('authentication keys', () => {
  type Key = { alg: string; kid: string; privateKey: CryptoKey; publicKey: CryptoKey };

  async function newKey(alg: string, kid: string): Promise<Key> {
    return { alg, kid, ...(await generateKeyPair(alg, { extractable: true })) };
  }

  async function toJwk({ alg, kid, publicKey }: Key): Promise<JWK> {
    return { ...(await exportJWK(publicKey)), alg, kid, use: 'sig' };
  }

  function signed({ alg, kid, privateKey }: Key, { header, claims }: { header?: object; claims?: object } = {}): Promise<string> {
    return new SignJWT({ sub: '1', exp: inOneHour(), ...claims }).setProtectedHeader({ alg, ...(header ?? { kid }) }).sign(privateKey);
  }

  /** Signs with the same key but another algorithm. */
  async function signedAs(alg: string, { privateKey, ...key }: Key): Promise<string> {
    return signed({ ...key, alg, privateKey: await importPKCS8(await exportPKCS8(privateKey), alg) });
  }

  const read = (api: ApiAlone, token: string): Promise<ApiResponse> => api.client.request('GET', '/api/content/999999', { token });
  const upload = (api: ApiAlone, token: string): Promise<ApiResponse> =>
    api.client.request('POST', '/content', {
      token,
      body: JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' }),
      headers: { 'content-type': 'application/json' },
    });

  /** With a valid token the missing item is 404; without one the response is 403. */
  const ACCEPTED = 404;

  const started: ApiAlone[] = [];
  async function start(overrides: Environment): Promise<ApiAlone> {
    const api = await startApiAlone(overrides);
    started.push(api);
    return api;
  }
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => Promise.all(started.map((api) => api.stop())));

  const realNow = Date.now;
  const realMonotonic = performance.now.bind(performance);
  const setClock = (seconds: number): void => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + seconds * 1_000);
  const passSeconds = (seconds: number): void => {
    setClock(seconds);
    jest.spyOn(performance, 'now').mockImplementation(() => realMonotonic() + seconds * 1_000);
  };

  describe.each(['RS256', 'ES256'])('with a public key for %s', (alg) => {
    let api: ApiAlone;
    let key: Key;
    let pem: string;
    beforeAll(async () => {
      key = await newKey(alg, 'a');
      pem = await exportSPKI(key.publicKey);
      api = await start({ JWT_SECRET: '', JWT_PUBLIC_KEY: pem });
    });

    it('a token with another key or algorithm is 403', async () => {
      const claims = { sub: '1', exp: inOneHour() };
      const bad = [
        await signed(await newKey(alg, 'a')),
        await signed(await newKey(alg === 'RS256' ? 'ES256' : 'RS256', 'a')),
        await sign(claims),
        hmacToken({ alg: 'HS256' }, claims, { secret: pem }),
        hmacToken({ alg: 'HS256' }, claims, { secret: pem.trim() }),
        hmacToken({ alg }, claims, { secret: pem }),
        `${encode({ alg: 'none' })}.${encode(claims)}.`,
        await signed(key, { claims: { exp: 1 } }),
        ...(alg === 'RS256' ? await Promise.all(['PS256', 'RS384', 'RS512'].map((other) => signedAs(other, key))) : []),
      ];
      for (const token of bad) expectProblem(await read(api, token), 403);
    });
  });

  it('the log says why tokens are not valid, once for each reason, and nothing that they contain', async () => {
    const api = await start({ LOG_LEVEL: 'warn', JWT_ISSUER: 'https://issuer.test/', JWT_AUDIENCE: 'ugc' });
    const good = { iss: 'https://issuer.test/', aud: 'ugc' };
    const bad: [string, unknown][] = [
      [token({ ...good, iss: 'https://private.test/' }), 'jwt issuer invalid. expected: https://issuer.test/'],
      [token({ ...good, aud: 'private' }), 'jwt audience invalid. expected: ugc'],
      [flipBit(token(good), 2), 'invalid signature'],
      [token({ ...good, sub: '01', nbf: 'private' }), 'its claims are not valid: nbf'],
      [token({ ...good, sub: '01' }), 'its claims are not valid: subject'],
      [token({ ...good, scope: { private: 1 } }), 'its claims are not valid: scopes'],
      [token(good, { ...HS256, jku: 'https://private.test/' }), 'the token header contains jku'],
      [`${encode(HS256)}.${encode('private')}.x`, 'it is not JSON'],
      ['private', 'Invalid token'],
    ];
    for (const [token] of [...bad, ...bad]) expectProblem(await read(api, token), 403, 'token-invalid');
    const lines = api.logged.map((line) => JSON.parse(line) as { msg: string; reason: string });
    expect(lines.filter(({ msg }) => msg === 'a token is not valid').map(({ reason }) => reason)).toEqual(bad.map(([, reason]) => reason));
    expect(api.logged.join('')).not.toContain('private');
  });

  it('while keys are rotated, tokens of the old and of the new one are accepted, and development tokens have the first secret', async () => {
    const secret = 'the new secret, which has more than 32 bytes';
    const ofSecrets = await start({ JWT_SECRET: `${secret}\n${SECRET}` });
    const issued = await signDevelopmentToken(ofSecrets.env, { userId: 1, hours: 1 });
    expect(
      createHmac('sha256', secret)
        .update(issued.slice(0, issued.lastIndexOf('.')))
        .digest('base64url'),
    ).toBe(issued.split('.')[2]);
    for (const token of [issued, await tokenOf(1)]) expect((await read(ofSecrets, token)).status).toBe(ACCEPTED);
    const third = hmacToken(HS256, claims(), { secret: 'a third secret, which has more than 32 bytes' });
    expectProblem(await read(ofSecrets, third), 403);

    const keys = [await newKey('RS256', 'a'), await newKey('ES256', 'b'), await newKey('RS256', 'c')];
    const pems = await Promise.all(keys.map(({ publicKey }) => exportSPKI(publicKey)));
    const ofKeys = await start({ JWT_SECRET: '', JWT_PUBLIC_KEY: pems.join('') });
    for (const key of keys) expect((await read(ofKeys, await signed(key))).status).toBe(ACCEPTED);
    expectProblem(await read(ofKeys, await signed(await newKey('RS256', 'a'))), 403);
  });

  it.each<Record<string, string>>([
    { JWT_AUDIENCE_CLAIM: 'client_id' },
    { JWT_AUDIENCE_CLAIM: 'aud' },
    { JWT_USER_CLAIM: 'uid', JWT_ISSUER: 'https://issuer.test/' },
  ])('a development token is one of the user by the rules for tokens: %j', async (rules) => {
    const api = await start({ JWT_AUDIENCE: 'ugc', ...rules });
    const issued = await signDevelopmentToken(api.env, { userId: 1, hours: 1 });
    const { status, body } = await api.client.request('GET', '/api/users/me', { token: issued });
    expect([status, body.userId]).toEqual([200, 1]);
  });

  describe('with a JWKS,', () => {
    let server: HttpServer;
    let port = 0;
    let requests = 0;
    let published: JWK[];
    let jwksResponse: { status: number; body?: string } | 'never';
    let older: Key;
    let newer: Key;
    let api: ApiAlone;

    async function serve(): Promise<void> {
      server = await startHttpServer((_, response) => {
        requests += 1;
        if (jwksResponse === 'never') return;
        response.writeHead(jwksResponse.status, { location: '/elsewhere' }).end(jwksResponse.body ?? JSON.stringify({ keys: published }));
      }, port);
      ({ port } = server);
    }
    const goDown = (): Promise<void> => server.stop();
    const startWithJwks = (): Promise<ApiAlone> => start({ JWT_SECRET: '', JWT_JWKS_URL: `http://127.0.0.1:${port}/keys` });

    /** Its time limits are those of production. */
    const startHasty = async (): Promise<ApiAlone> => {
      const factor = jest.replaceProperty(process.env, 'STORE_TIMEOUT_FACTOR', '1');
      return startWithJwks().finally(() => factor.restore());
    };

    beforeAll(async () => {
      [older, newer] = await Promise.all([newKey('RS256', 'older'), newKey('ES256', 'newer')]);
      published = [await toJwk(older), await toJwk(newer)];
      jwksResponse = { status: 200 };
      await serve();
      api = await startWithJwks();
    });
    afterAll(() => goDown());

    it('tokens of every published key are accepted, and the keys are fetched once', async () => {
      for (const key of [older, newer, older]) expect((await read(api, await signed(key))).status).toBe(ACCEPTED);
      expect((await upload(api, await signed(older))).status).toBe(201);
      expect(requests).toBe(1);
    });

    it('an unknown key id is 403, and many unknown key ids cause at most one fetch', async () => {
      const before = requests;
      for (let attempt = 0; attempt < 20; attempt += 1) {
        expectProblem(await read(api, await signed(older, { header: { kid: `unknown ${attempt}` } })), 403);
      }
      expect(requests - before).toBeLessThanOrEqual(1);
    });

    it('a token that names one key and is signed with another key is 403', async () => {
      expectProblem(await read(api, await signed(await newKey('RS256', 'older'))), 403);
    });

    it('an HS256 token is 403, also when it is signed with a public key as the secret', async () => {
      for (const secret of [SECRET, JSON.stringify(published[0]), await exportSPKI(older.publicKey)])
        expectProblem(await read(api, hmacToken({ alg: 'HS256', kid: 'older' }, { sub: '1', exp: inOneHour() }, { secret })), 403);
    });

    it('a token without a key id is accepted while exactly one key matches, and 403 otherwise', async () => {
      expect((await read(api, await signed(older, { header: {} }))).status).toBe(ACCEPTED);
      const third = await newKey('RS256', 'third');
      published = [...published, await toJwk(third)];
      passSeconds(31);
      expect((await read(api, await signed(third))).status).toBe(ACCEPTED);
      expectProblem(await read(api, await signed(older, { header: {} })), 403);
    });

    it('tokens of a new key are accepted at once, and tokens of a removed key are 403 within ten minutes', async () => {
      const newest = await newKey('ES256', 'newest');
      published = [await toJwk(newer), await toJwk(newest)];
      passSeconds(100);
      expect((await read(api, await signed(newest))).status).toBe(ACCEPTED);
      expect((await read(api, await signed(newer))).status).toBe(ACCEPTED);
      passSeconds(701);
      expectProblem(await read(api, await signed(older)), 403);
    });

    it('a token that was accepted before is 403 as soon as newly fetched keys do not contain its key', async () => {
      const [replaced, replacing] = await Promise.all([newKey('ES256', 'replaced'), newKey('ES256', 'replacing')]);
      const token = await signed(replaced);
      published = [await toJwk(newer), await toJwk(replaced)];
      passSeconds(800);
      expect((await read(api, token)).status).toBe(ACCEPTED);
      published = [await toJwk(newer), await toJwk(replacing)];
      passSeconds(831);
      expect((await read(api, token)).status).toBe(ACCEPTED);
      expect((await read(api, await signed(replacing))).status).toBe(ACCEPTED);
      expectProblem(await read(api, token), 403);
    });

    it('a token of a published key that is too weak is 403', async () => {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
      published = [...published, { ...(await exportJWK(publicKey)), alg: 'RS256', kid: 'weak', use: 'sig' }];
      passSeconds(1_000);
      expectProblem(await read(api, rsaToken({ alg: 'RS256', kid: 'weak' }, { sub: '1', exp: inOneHour() + 1_000 }, privateKey)), 403);
      published = published.slice(0, -1);
    });

    describe('while the key server is unavailable,', () => {
      beforeAll(() => goDown());
      afterAll(() => serve());

      it('tokens of known keys are accepted, also after the cached keys have expired', async () => {
        passSeconds(1_700);
        expect((await read(api, await signed(newer))).status).toBe(ACCEPTED);
        expect((await upload(api, await signed(newer))).status).toBe(201);
      });

      it('a token of an unknown key is 500 for a read and 503 for an upload, never 403, because it may be valid', async () => {
        passSeconds(1_700);
        const unknown = await signed(await newKey('RS256', 'unknown'));
        expectProblem(await read(api, unknown), 500);
        const unavailable = await upload(api, unknown);
        expectProblem(unavailable, 503);
        expect(Number(unavailable.headers.get('retry-after'))).toBeGreaterThan(0);
      });

      it('a service without cached keys starts, returns 500, and recovers within 5 s', async () => {
        const late = await startWithJwks();
        expect(expectProblem(await read(late, await signed(newer)), 500).detail).toContain('key server');
        expect(expectProblem(await upload(late, await signed(newer)), 503).detail).toContain('key server');
        await serve();
        passSeconds(5);
        expect((await read(late, await signed(newer))).status).toBe(ACCEPTED);
        await goDown();
      });

      it('the page of operators and a metric say so, also before the first token, and what an egress proxy needs', async () => {
        const late = await startWithJwks();
        let passed = 0;
        const problems = async (): Promise<string> => {
          passSeconds((passed += 6));
          return String(await problemsOnPage(late));
        };
        await until('it is named', async () => /key server.*HTTPS_PROXY and NODE_USE_ENV_PROXY=1/.test(await problems()));
        expect((await scrape(late.operationsUrl)).get('ugc_key_server_up')).toBe(0);
        await serve();
        await until('it is not named', async () => !(await problems()).includes('key server'));
        expect((await scrape(late.operationsUrl)).get('ugc_key_server_up')).toBe(1);
        await goDown();
      });

      it('setting the clock back does not prolong the pause after a failed fetch', async () => {
        const late = await startWithJwks();
        expectProblem(await read(late, await signed(newer)), 500);
        await serve();
        passSeconds(5);
        setClock(-3_600);
        expect((await read(late, await signed(newer))).status).toBe(ACCEPTED);
        await goDown();
      });

      it('a token that no key can make valid is 403', async () => {
        const late = await startWithJwks();
        const claims = { sub: '1', exp: inOneHour() };
        expectProblem(await read(late, `${encode({ alg: 'none' })}.${encode(claims)}.`), 403);
        expectProblem(await read(late, hmacToken({ alg: 'HS256', kid: 'older' }, claims)), 403);
        expectProblem(await read(late, 'x.y.z'), 403);
        expectProblem(await late.client.request('GET', '/api/content/1'), 403);
      });
    });

    it.each<[string, typeof jwksResponse]>([
      ['does not respond', 'never'],
      ['returns 404', { status: 404 }],
      ['redirects', { status: 302 }],
      ['returns HTML', { status: 200, body: '<html>' }],
      ['returns no keys', { status: 200, body: '{"keys":7}' }],
    ])('a read is 500, and does not wait long, when the key server %s', async (_, given) => {
      jwksResponse = given;
      const other = await startHasty();
      const waits = delay(300_000, undefined, { ref: false }).then(() => Promise.reject(new Error('the read waits for the key server')));
      expectProblem(await Promise.race([read(other, await signed(newer)), waits]), 500);
      jwksResponse = { status: 200 };
    });

    it.each([
      ['256 KiB', 'x'.repeat(262_144)],
      ['10,000 values', Array.from({ length: 10_000 }, () => 0)],
    ])('keys in a response of more than %s are not used', async (_, more) => {
      jwksResponse = { status: 200, body: JSON.stringify({ keys: published, more }) };
      expectProblem(await read(await startHasty(), await signed(newer)), 500);
      jwksResponse = { status: 200 };
    });

    it('concurrent requests share one fetch from a key server that does not respond', async () => {
      jwksResponse = 'never';
      const other = await startHasty();
      const before = requests;
      const token = await signed(newer);
      const reads = await Promise.all(Array.from({ length: 10 }, () => read(other, token)));
      for (const each of [...reads, await read(other, token), await read(other, token)]) expectProblem(each, 500);
      expect(requests - before).toBe(1);
      jwksResponse = { status: 200 };
      passSeconds(5);
      expect((await read(other, token)).status).toBe(ACCEPTED);
    });
  });

  describe('with a client for signing in, the web page', () => {
    let issuer: string;
    let other: string;
    let answer: (request: IncomingMessage, response: ServerResponse) => void;
    let asked = 0;
    let server: HttpServer;
    const metadata = (): Record<string, string> => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${other}/token`,
      end_session_endpoint: `${issuer}/end`,
      userinfo_endpoint: 'https://elsewhere.test/',
    });
    const tell = (body: unknown) => (_: IncomingMessage, response: ServerResponse) => void response.end(JSON.stringify(body));
    beforeAll(async () => {
      server = await startHttpServer((request, response) => {
        if (request.url?.endsWith('/openid-configuration')) asked += 1;
        answer(request, response);
      });
      issuer = `${server.url}/realm`;
      other = server.url.replace('127.0.0.1', 'localhost');
    });
    afterAll(() => server.stop());
    const startSignIn = (): Promise<ApiAlone> =>
      start({ JWT_SECRET: '', JWT_JWKS_URL: `${issuer}/keys`, JWT_ISSUER: issuer, JWT_AUDIENCE: 'ugc', OIDC_CLIENT_ID: 'page' });
    const page = async (api: ApiAlone) => {
      const { status, headers, text } = await api.client.request('GET', '/');
      const [, json = 'null'] = /data-sign-in="([^"]*)"/.exec(text) ?? [];
      const connect = /connect-src ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
      return {
        status,
        connect,
        tag: headers.get('etag'),
        signIn: JSON.parse(json.replaceAll('&quot;', '"')) as { provider?: object } | null,
      };
    };

    it('knows the endpoints of the provider, also when it is down later, and may send requests to its token endpoint only', async () => {
      answer = tell(metadata());
      const api = await startSignIn();
      const before = await page(api);
      const { userinfo_endpoint: _, ...provider } = metadata();
      expect(before.signIn).toMatchObject({ clientId: 'page', scope: 'openid profile', audience: 'ugc', provider });
      expect(before.signIn?.provider).toEqual(provider);
      expect(before.connect).toBe(`'self' ${other}`);
      answer = (request) => request.socket.destroy();
      passSeconds(601);
      expect(await page(api)).toEqual(before);
      await until('the provider was asked again', () => asked === 2);
      expect(await page(api)).toEqual(before);
    });

    it.each<[string, () => typeof answer]>([
      ['does not respond', () => (request) => request.socket.destroy()],
      ['responds too late', () => () => undefined],
      ['responds with an error', () => (_, response) => void response.writeHead(503).end()],
      ['redirects', () => (request, response) => request.url === '/elsewhere' ? tell(metadata())(request, response) : void response.writeHead(302, { location: '/elsewhere' }).end()], // prettier-ignore
      ['is another issuer', () => tell({ ...metadata(), issuer: `${issuer}/` })],
      ['has no token endpoint', () => tell({ ...metadata(), token_endpoint: undefined })],
      ['has an endpoint that is a script', () => tell({ ...metadata(), end_session_endpoint: 'javascript:alert(1)' })],
      ['responds without an end', () => tell({ ...metadata(), more: 'x'.repeat(300_000) })],
    ])('is there, and allows no other origin, if the provider %s; it is asked again five seconds later', async (_, fault) => {
      answer = fault();
      // The time limit is that of production.
      jest.replaceProperty(process.env, 'STORE_TIMEOUT_FACTOR', '1');
      const api = await startSignIn();
      expect(await page(api)).toMatchObject({ status: 200, connect: "'self'" });
      expect((await page(api)).signIn).not.toHaveProperty('provider');
      expect((await api.client.request('GET', '/health/ready')).status).toBe(200);
      answer = tell(metadata());
      passSeconds(5);
      expect((await page(api)).signIn).toHaveProperty('provider');
    });
  });
});
