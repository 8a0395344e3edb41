import { authenticate, type State } from '@ugc/api/auth/authenticate';
import { identityOf } from '@ugc/api/auth/claims';
import { openKeys, type Keys } from '@ugc/api/auth/keys';
import { parseMetadata } from '@ugc/api/auth/provider';
import { handleErrors } from '@ugc/api/http/handle-errors';
import { FailedTokens } from '@ugc/api/limits/failed-tokens';
import { rateExceeded } from '@ugc/api/limits/rate-limits';
import { createLog } from '@ugc/shared/process/log';
import { describe, expect, it, jest } from '@jest/globals';
import Koa from 'koa';
import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { encode, flipBit, hmacToken } from '../support/http/raw-token.ts';
import { inOneHour, SECRET, tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { startHttpServer } from '../support/servers/http-server.ts';

const HS256 = { alg: 'HS256', typ: 'JWT' };
const now = (): number => Math.floor(Date.now() / 1_000);
const claims = (changes: object = {}): Record<string, unknown> => ({ sub: '1', exp: inOneHour(), ...changes });
const token = (changes: object = {}, header: object = HS256): string => hmacToken(header, claims(changes));
const without = (claim: string): string =>
  hmacToken(HS256, Object.fromEntries(Object.entries(claims()).filter(([name]) => name !== claim)));

type Headers = Record<string, string | string[]>;

/** A request with these headers. @returns the user whom the token names */
async function userOf(headers: Headers, query = ''): Promise<unknown> {
  return (await authenticated(headers, { query })).userId;
}

async function authenticated(headers: Headers, { query = '', env = defaultEnv() } = {}): Promise<State['user']> {
  const request = new IncomingMessage(new Socket());
  request.url = `/api/content${query}`;
  const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()]));
  Object.defineProperty(request, 'headersDistinct', { value: distinct });
  for (const [name, [first = '']] of Object.entries(distinct)) request.headers[name] = first;
  const ctx = new Koa<State>().createContext(request, new ServerResponse(request));
  await authenticate(openKeys(env), env, () => Promise.resolve(() => undefined))(ctx, () => Promise.resolve());
  return ctx.state.user;
}

async function expectForbidden(headers: Headers, query = ''): Promise<void> {
  const error = { name: 'Problem', status: 403, code: expect.stringMatching(/^token-(missing|invalid|expired)$/) };
  await expect(userOf(headers, query)).rejects.toMatchObject(error);
}

async function expectAccepted(headers: Headers): Promise<void> {
  expect(await userOf(headers)).toBe(1);
}

describe('an account', () => {
  const keyOf = (issuer: string, subject: string): number => identityOf(issuer, subject, false).limitKey;

  it('has limits of its own, also if another issuer has the same subject', () => {
    expect(keyOf('https://a.test', 'c')).toBe(keyOf('https://a.test', 'c'));
    expect(keyOf('https://b.test', 'c')).not.toBe(keyOf('https://a.test', 'c'));
    expect(keyOf('https://a.test', '31')).toBeLessThan(0);
  });

  it('has no issuer with |, since its subjects could be those of another issuer', () => {
    expect(() => identityOf('https://a.test|b', 'c', false)).toThrow();
    expect(identityOf('https://a.test', 'b|c', false)).toMatchObject({ credential: 'https://a.test|b|c' });
  });
});

describe('a numeric subject', () => {
  it('is that of an account, as a number and as a text, unless subjects are user ids', () => {
    for (const subject of [31, '31']) {
      expect(identityOf('https://a.test', subject, false)).toMatchObject({ credential: 'https://a.test|31' });
      expect(identityOf('https://a.test', subject, true)).toEqual({ userId: 31, limitKey: 31 });
    }
  });

  it.each(['0', '01', '-1', '+1', 0, -1, 1.5])('is no account where subjects are user ids, if it is a mistyped one: %j', (subject) => {
    expect(() => identityOf('https://a.test', subject, true)).toThrow();
  });

  it('is that of an account where subjects are user ids, if it is longer than any of them', () => {
    expect(identityOf('https://a.test', '108364059127843561290', true)).toMatchObject({
      credential: 'https://a.test|108364059127843561290',
    });
  });
});

describe('the endpoints of a provider', () => {
  const metadata = (issuer: string, changes: object = {}) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    end_session_endpoint: `${issuer}/end`,
    ...changes,
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'end_session_endpoint'])('need TLS if the issuer has it: %s', (name) => {
    const issuer = 'https://login.example.com';
    expect(parseMetadata(metadata(issuer), issuer)).toEqual(metadata(issuer));
    for (const wrong of [
      'http://login.example.com/x',
      'ftp://login.example.com/x',
      'https://a@login.example.com/x',
      'https://login.example.com/#x',
      '/x',
    ])
      expect(() => parseMetadata(metadata(issuer, { [name]: wrong }), issuer)).toThrow('must be an https URL');
    expect(() => parseMetadata(metadata(issuer), 'https://other.example.com')).toThrow();
  });

  it('of an issuer without TLS, on a machine of a developer, may be without it', () => {
    const issuer = 'http://localhost:8080';
    expect(parseMetadata(metadata(issuer), issuer)).toEqual(metadata(issuer));
    expect(parseMetadata(metadata(issuer, { token_endpoint: 'https://localhost/token' }), issuer)).toBeDefined();
  });
});

describe('authentication', () => {
  it.each([
    ['Bearer', (valid: string) => `Bearer ${valid}`],
    ['bearer', (valid: string) => `bearer ${valid}`],
    ['BEARER', (valid: string) => `BEARER ${valid}`],
  ])('accepts the authentication scheme written as %s', (_, header) => expectAccepted({ authorization: header(token()) }));

  it.each<[string, Record<string, unknown>]>([
    ['a user id that is a number', { sub: 1 }],
    ['an nbf that is now', { nbf: now() - 1 }],
    ['an nbf less than a minute in the future', { nbf: now() + 30 }],
    ['an iat less than a minute in the future', { iat: now() + 30 }],
    ['an exp, nbf and iat with a fraction', { exp: inOneHour() + 0.25, nbf: now() - 60.5, iat: Date.now() / 1_000 }],
    ['unknown claims', { iss: 'anybody', aud: ['x'], jti: '1', admin: true }],
    ['scopes as a list', { scope: ['a', 'b'] }],
  ])('accepts a token with %s', (_, changes) => expectAccepted({ authorization: `Bearer ${token(changes)}` }));

  it('tells who publishes without a review', async () => {
    const { mayPublish } = await authenticated({ authorization: `Bearer ${token({ scope: 'content:publish' })}` });
    expect([mayPublish, (await authenticated({ authorization: `Bearer ${token({ scope: 'content:publishing' })}` })).mayPublish]).toEqual([
      true,
      false,
    ]);
  });

  it.each<[object, moderates: boolean, writesForOthers: boolean]>([
    [{ roles: 'other content:moderate' }, true, false],
    [{ roles: ['content:write:any', 'content:moderate'] }, true, true],
    [{ roles: 'read content:write:any' }, false, true],
    [{ roles: ['other content:moderate'] }, false, false],
    [{ roles: 'content:moderate:other content:write:anything' }, false, false],
    [{ roles: 'content:write CONTENT:WRITE:ANY' }, false, false],
    [{ roles: 'any ' }, false, false],
    [{ scope: 'content:moderate' }, false, false],
    [{ scope: 'content:write:any', roles: [] }, false, false],
  ])(
    'finds scopes in the claim JWT_SCOPE_CLAIM alone, as a text with blanks or a list: %j',
    async (changes, moderates, writesForOthers) => {
      const env = { ...defaultEnv(), JWT_SCOPE_CLAIM: 'roles' };
      const user = await authenticated({ authorization: `Bearer ${token(changes)}` }, { env });
      expect(user).toMatchObject({ mayModerate: moderates, mayWriteForOthers: writesForOthers });
    },
  );

  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])('accepts a token of type %s', (typ) =>
    expectAccepted({ authorization: `Bearer ${token({}, { alg: 'HS256', typ })}` }),
  );

  describe('a request is 403 with', () => {
    it.each<[string, Record<string, string>]>([
      ['no header', {}],
      ['an empty header', { authorization: '' }],
      ['the scheme alone', { authorization: 'Bearer' }],
      ['the scheme and a space', { authorization: 'Bearer ' }],
      ['two spaces before the token', { authorization: `Bearer  ${token()}` }],
      ['text after the token', { authorization: `Bearer ${token()} x` }],
      ['two tokens', { authorization: `Bearer ${token()}, Bearer ${token()}` }],
      ['a token in quotes', { authorization: `Bearer "${token()}"` }],
      ['a token without a scheme', { authorization: token() }],
      ['a colon after the scheme', { authorization: `Bearer: ${token()}` }],
      ['the scheme Basic', { authorization: `Basic ${token()}` }],
      ['the scheme Token', { authorization: `Token ${token()}` }],
      ['a longer scheme', { authorization: `Bearers ${token()}` }],
      ['a token in another header', { 'x-access-token': token(), 'proxy-authorization': `Bearer ${token()}` }],
      ['a token in a cookie', { cookie: `token=${token()}; jwt=${token()}; access_token=${token()}; Authorization=Bearer%20${token()}` }],
    ])('a request with %s', (_, headers) => expectForbidden(headers));

    it('a token in the query', () => expectForbidden({}, `?access_token=${token()}&token=${token()}&authorization=Bearer%20${token()}`));

    const [header = '', payload = '', signature = ''] = token().split('.');
    it.each([
      ['one segment', header],
      ['two segments', `${header}.${payload}`],
      ['four segments', `${header}.${payload}.${signature}.${signature}`],
      ['five segments, as if encrypted', `${header}.${payload}.${signature}.${payload}.${signature}`],
      ['dots alone', '..'],
      ['no signature', `${header}.${payload}.`],
      ['no payload', `${header}..${signature}`],
      ['no header', `.${payload}.${signature}`],
      ['segments that are not base64', '!!!.###.$$$'],
      ['10 kB of letters', 'a'.repeat(10_000)],
      ['a header that is not JSON', hmacToken('{"alg":', claims())],
      ['a header that is a list', hmacToken([HS256], claims())],
      ['a header that is null', hmacToken('null', claims())],
      ['a payload that is not JSON', hmacToken(HS256, '{"sub":')],
      ['a payload that is not UTF-8', hmacToken(HS256, Buffer.from(JSON.stringify(claims({ sub: '1\u00ff' })), 'latin1'))],
      ['a payload that is text', hmacToken(HS256, '"hello"')],
      ['a payload that is a number', hmacToken(HS256, '1')],
      ['a payload that is null', hmacToken(HS256, 'null')],
      ['a payload that is a list', hmacToken(HS256, [claims()])],
      ['an empty payload', hmacToken(HS256, '{}')],
      ['a flipped bit in the header', flipBit(token(), 0)],
      ['a flipped bit in the payload', flipBit(token(), 1)],
      ['a flipped bit in the signature', flipBit(token(), 2)],
      ['the signature of another token', `${header}.${encode(claims({ sub: '2' }))}.${signature}`],
      ['another secret', hmacToken(HS256, claims(), { secret: `${SECRET}x` })],
      ['an empty secret', hmacToken(HS256, claims(), { secret: '' })],
    ])('a token with %s', (_, bad) => expectForbidden({ authorization: `Bearer ${bad}` }));

    it('a token whose signature differs only in unused base64 bits', () => {
      const valid = token();
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const last = alphabet.indexOf(valid.at(-1) ?? '');
      return expectForbidden({ authorization: `Bearer ${valid.slice(0, -1)}${alphabet[last ^ 1]}` });
    });

    it.each(['none', 'None', 'NONE', 'nOnE'])('an unsigned token (alg %s)', async (alg) => {
      await expectForbidden({ authorization: `Bearer ${encode({ alg })}.${encode(claims())}.` });
      await expectForbidden({ authorization: `Bearer ${token({}, { alg })}` });
    });

    const { publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    it.each([
      ['no algorithm', hmacToken({ typ: 'JWT' }, claims())],
      ['an empty algorithm', token({}, { alg: '' })],
      ['a list of algorithms', token({}, { alg: ['HS256'] })],
      ['an algorithm in lower case', token({}, { alg: 'hs256' })],
      ['HS384 with the right secret', hmacToken({ alg: 'HS384' }, claims(), { hash: 'sha384' })],
      ['HS512 with the right secret', hmacToken({ alg: 'HS512' }, claims(), { hash: 'sha512' })],
      ['RS256 over an HMAC', token({}, { alg: 'RS256' })],
      ['ES256 over an HMAC', token({}, { alg: 'ES256' })],
      ['the type of a logout token', token({}, { ...HS256, typ: 'logout+jwt' })],
      ['the type of a DPoP proof', token({}, { ...HS256, typ: 'dpop+jwt' })],
      ['a type that is empty', token({}, { ...HS256, typ: '' })],
      ['a type that is a number', token({}, { ...HS256, typ: 7 })],
      ['HS256 with a public key as its secret', hmacToken(HS256, claims(), { secret: publicKey })],
    ])('a token with %s', (_, bad) => expectForbidden({ authorization: `Bearer ${bad}` }));

    it.each<[string, unknown]>([
      ['in the past', now() - 1],
      ['now', now()],
      ['before the epoch', -1],
      ['zero', 0],
      ['text', String(inOneHour())],
      ['a date', new Date(inOneHour() * 1_000).toISOString()],
      ['past every integer', 1e308],
      ['null', null],
      ['true', true],
      ['a list', [inOneHour()]],
    ])('an expiry that is %s', (_, exp) => expectForbidden({ authorization: `Bearer ${token({ exp })}` }));

    it('a token without an expiry', () => expectForbidden({ authorization: `Bearer ${without('exp')}` }));

    it.each<[string, object]>([
      ['an nbf in the future', { nbf: inOneHour() }],
      ['an nbf more than a minute in the future', { nbf: now() + 3_000 }],
      ['an iat more than a minute in the future', { iat: now() + 3_000 }],
      ['an nbf that is text', { nbf: String(now() - 60) }],
      ['an nbf that is null', { nbf: null }],
      ['an iat in the future', { iat: inOneHour() }],
      ['an iat that is text', { iat: String(now()) }],
      ['an iat that is null', { iat: null }],
      ['an iat before the epoch', { iat: -1 }],
      ['scopes that are a number', { scope: 7 }],
    ])('a token with %s', (_, changes) => expectForbidden({ authorization: `Bearer ${token(changes)}` }));

    it.each<[unknown]>([
      [''], [' '], ['0'], ['01'], ['-1'], ['+1'], [' 1'], ['1 '], ['1\n'], ['1.0'], ['1e3'], ['0x1'], ['١'], ['ada'], ['1,2'], ['9007199254740992'], ['9007199254740993'],
      ['1'.repeat(4_096)], [0], [-1], [1.5], [2 ** 53], [null], [true], [[1]], [['1']], [{}],
    ])('a token with the user id %j', (sub) => expectForbidden({ authorization: `Bearer ${token({ sub })}` })); // prettier-ignore

    it('a token without a user id', () => expectForbidden({ authorization: `Bearer ${without('sub')}` }));
    it('a token with the user id in another claim', () =>
      expectForbidden({ authorization: `Bearer ${token({ sub: undefined, user_id: '1' })}` }));
  });

  describe('header extensions and keys inside a token', () => {
    const lureUrl = (): string => 'http://127.0.0.1:1/keys';

    it.each<[string, () => object]>([
      ['crit', () => ({ crit: ['exp'], exp: inOneHour() })],
      ['jku', () => ({ jku: lureUrl(), kid: 'x' })],
      ['x5u', () => ({ x5u: lureUrl() })],
      ['jwk', () => ({ jwk: { kty: 'oct', k: Buffer.from(SECRET).toString('base64url') } })],
      ['x5c', () => ({ x5c: ['MIIB'] })],
    ])('are 403, and nothing is fetched: %s', async (_, header) => {
      const fetched = jest.spyOn(globalThis, 'fetch');
      await expectForbidden({ authorization: `Bearer ${token({}, { ...HS256, ...header() })}` });
      expect(fetched).not.toHaveBeenCalled();
      fetched.mockRestore();
    });

    it('are not resolved: a key id is treated as an opaque name', async () => {
      for (const kid of ['../../etc/passwd', "' or 1=1 --", lureUrl()])
        await expectAccepted({ authorization: `Bearer ${token({}, { ...HS256, kid })}` });
    });
  });

  const other = (changes: object): string => hmacToken(HS256, claims(changes), { secret: `${SECRET}x` });
  it.each([
    ['token-missing', '', {}],
    ['token-missing', `Basic ${token()}`, {}],
    ['token-invalid', 'Bearer x.y.z', {}],
    ['token-invalid', `Bearer ${other({})}`, {}],
    ['token-invalid', `Bearer ${other({ exp: now() - 1 })}`, {}],
    ['token-invalid', `Bearer ${encode({ alg: 'none' })}.${encode(claims({ exp: now() - 1 }))}.`, {}],
    ['token-invalid', `Bearer ${token({ exp: now() - 1 })}`, { JWT_AUDIENCE: 'somebody else' }],
    ['token-invalid', `Bearer ${token({ exp: now() - 1, nbf: inOneHour() })}`, {}],
    ['token-invalid', `Bearer ${token({ exp: '1' })}`, {}],
    ['token-expired', `Bearer ${token({ exp: now() - 1 })}`, {}],
    ['token-expired', `Bearer ${token({ exp: 1 })}`, { JWT_SECRET: `${'y'.repeat(32)}\n${SECRET}` }],
  ])(
    'says that a token has expired only if its signature is right and nothing else is wrong: %s for %s',
    async (code, authorization, changes) => {
      const env = { ...defaultEnv(), ...changes };
      await expect(authenticated({ authorization }, { env })).rejects.toMatchObject({ status: 403, code });
    },
  );

  describe('the configuration determines', () => {
    const refused = { status: 403 };
    const userWith = (env: object, changes: object) =>
      authenticated({ authorization: `Bearer ${token(changes)}` }, { env: { ...defaultEnv(), ...env } });

    it('which claim of a token contains the user id', async () => {
      const env = { JWT_USER_CLAIM: 'https://example.test/user' };
      expect(await userWith(env, { sub: 'ada', 'https://example.test/user': '1' })).toMatchObject({ userId: 1 });
      await expect(userWith(env, {})).rejects.toMatchObject(refused);
    });

    it('whether a token without an expiry is accepted', async () => {
      const env = { JWT_REQUIRE_EXPIRY: false };
      expect(await userWith(env, { exp: undefined })).toMatchObject({ userId: 1 });
      await expect(userWith(env, { exp: 1 })).rejects.toMatchObject(refused);
    });

    it('which issuer and audience a token must have', async () => {
      const env = { JWT_ISSUER: 'https://issuer.test/', JWT_AUDIENCE: 'ugc' };
      const good = { iss: 'https://issuer.test/', aud: 'ugc' };
      const bad = [{}, { iss: good.iss }, { aud: good.aud }, { ...good, iss: 'https://issuer.test' }, { ...good, iss: [good.iss, 'x'] }, { ...good, aud: 'UGC' }, { ...good, aud: [] }, { ...good, aud: ['other'] }, { ...good, aud: 7 }]; // prettier-ignore
      for (const changes of [good, { ...good, aud: ['other', 'ugc'] }]) expect(await userWith(env, changes)).toMatchObject({ userId: 1 });
      for (const changes of bad) await expect(userWith(env, changes)).rejects.toMatchObject(refused);
    });
  });

  it.each([
    ['both good', [token(), token()]],
    ['the first bad', ['x.y.z', token()]],
    ['the second bad', [token(), 'x.y.z']],
  ])('two Authorization headers in one request are 403, even if one of them is valid: %s', (_, tokens) =>
    expectForbidden({ authorization: tokens.map((each) => `Bearer ${each}`) }),
  );
});

describe('invalid tokens', () => {
  // The address of the client is above its limit after three invalid tokens.
  let [failed, verifying, mostVerifying] = [0, 0, 0];
  let held: Promise<void> | undefined;
  const send = async (token: string): Promise<number> =>
    (await fetch(server.url, { headers: { authorization: `Bearer ${token}` } })).status;
  const invalid = (n: number): string => hmacToken(HS256, { sub: '1', jti: n }, { secret: 'another secret' });

  const server = forAllTests(() => {
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
        isStoreFailure: () => false,
      }),
    );
    app.use(failedTokens.count());
    app.use(authenticate(keys, env, (ctx) => failedTokens.waitToVerify(ctx)));
    app.use((ctx) => void (ctx.status = 204));
    const handle = app.callback();
    return startHttpServer((request, response) => void handle(request, response));
  });

  it('of an address above its limit are verified one at a time, and valid ones are accepted', async () => {
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
});
