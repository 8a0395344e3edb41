import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { png } from '../support/database/images.ts';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { problemsOnPage } from '../support/http/operations-status.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { startRelease, type RunningRelease } from '../support/cluster/release.ts';
import { Client, type ApiResponse } from '../support/http/client.ts';
import { scrape } from '../support/http/scrape.ts';
import { apiCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { createAuthority, issueCertificate, TlsProxy, UNKNOWN_HOST } from '../support/servers/tls.ts';
import { rows } from '../support/jest/long.ts';
import { expectProblem } from '../support/http/problems.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { ISSUER, sign } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

type Claims = Record<string, unknown>;
type Provider = { header: object; claims: Claims; settings: Environment; name: string | RegExp; idToken: Claims };

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const times = (): Claims => ({ iat: nowSeconds() - 5, exp: nowSeconds() + 3_600 });

/** The claims of access tokens as each provider documents them, and the settings of docs/operating.md. */
const PROVIDERS: Record<string, Provider> = {
  Auth0: {
    header: { typ: 'JWT' },
    claims: {
      iss: 'https://example.eu.auth0.com/',
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      aud: ['https://ugc.example.com', 'https://example.eu.auth0.com/userinfo'],
      azp: 'my_client_id',
      scope: 'openid profile email',
      'https://ugc.example.com/name': 'Ada Lovelace',
    },
    settings: {
      JWT_ISSUER: 'https://example.eu.auth0.com/',
      JWT_AUDIENCE: 'https://ugc.example.com',
      JWT_NAME_CLAIM: 'https://ugc.example.com/name',
    },
    name: 'Ada Lovelace',
    idToken: { aud: 'my_client_id', azp: undefined, scope: undefined, nonce: 'n' },
  },
  'Auth0 with tokens of RFC 9068, for a machine': {
    header: { typ: 'at+jwt' },
    claims: {
      iss: 'https://example.eu.auth0.com/',
      sub: 'my_client_id@clients',
      aud: 'https://ugc.example.com',
      client_id: 'my_client_id',
      jti: 'Jq5cXo4EwvvPDyB8yRWrGg',
      scope: 'read:reports',
    },
    settings: { JWT_ISSUER: 'https://example.eu.auth0.com/', JWT_AUDIENCE: 'https://ugc.example.com' },
    name: /^User [\da-f]{8}$/,
    idToken: { aud: 'my_client_id' },
  },
  Keycloak: {
    header: { typ: 'JWT' },
    claims: {
      jti: 'f7d1c1a2-1c5f-4d3c-a1de-0f6e1f1c9a55',
      iss: 'https://sso.example.com/realms/main',
      aud: ['ugc', 'account'],
      sub: '0d1c5a3e-6c1f-4f52-9b9b-2f8f6d0c7a11',
      typ: 'Bearer',
      azp: 'web',
      sid: '5a6f5d1e-8f50-4f5f-9d8a-2b8b2d0c1111',
      acr: '1',
      'allowed-origins': ['https://app.example.com'],
      realm_access: { roles: ['offline_access', 'uma_authorization'] },
      resource_access: { account: { roles: ['manage-account', 'view-profile'] } },
      scope: 'openid profile email',
      email_verified: true,
      name: 'Boris Βόρις',
      preferred_username: 'boris',
      given_name: 'Boris',
      email: 'boris@example.com',
    },
    settings: { JWT_ISSUER: 'https://sso.example.com/realms/main', JWT_AUDIENCE: 'ugc', JWT_NAME_CLAIM: 'preferred_username' },
    name: 'boris',
    idToken: { typ: 'ID', aud: 'web' },
  },
  Cognito: {
    header: {},
    claims: {
      sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      iss: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example',
      version: 2,
      client_id: '1example23456789',
      token_use: 'access',
      scope: 'aws.cognito.signin.user.admin',
      username: 'chloe',
    },
    settings: {
      JWT_ISSUER: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example',
      JWT_AUDIENCE: '1example23456789',
      JWT_AUDIENCE_CLAIM: 'client_id',
      JWT_NAME_CLAIM: 'username',
    },
    name: 'chloe',
    idToken: { client_id: undefined, aud: '1example23456789', token_use: 'id', 'cognito:username': 'chloe' },
  },
  'Entra ID': {
    header: { typ: 'JWT', x5t: 'H9nj5AOSswMphg1SFx7jaV-lB9w' },
    claims: {
      aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      iss: 'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
      nbf: nowSeconds() - 5,
      azp: '6e74172b-be56-4843-9ff4-e66a39bb12e4',
      name: 'Abe Lincoln',
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      preferred_username: 'abeli@microsoft.com',
      scp: 'access_as_user',
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      ver: '2.0',
    },
    settings: {
      JWT_ISSUER: 'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
      JWT_AUDIENCE: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      JWT_USER_CLAIM: 'oid',
    },
    name: 'Abe Lincoln',
    idToken: { aud: '6e74172b-be56-4843-9ff4-e66a39bb12e4', azp: undefined },
  },
};

let privateKey: CryptoKey;
let published: JWK[];
let server: Server;
let url: string;
const started: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  ({ privateKey } = pair);
  // Entra ID and Keycloak publish keys like this: without `alg`, and beside a key for encryption.
  const jwk = await exportJWK(pair.publicKey);
  published = [
    { ...jwk, kid: 'enc', use: 'enc', alg: 'RSA-OAEP' },
    { ...jwk, kid: 'key', use: 'sig' },
  ];
  server = createServer((_, response) => void response.end(JSON.stringify({ keys: published })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(started.splice(0).map((each) => each.stop()));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const tokenWith = (claims: Claims, header: object = {}): Promise<string> =>
  new SignJWT({ ...times(), ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'key', ...header }).sign(privateKey);

async function start(overrides: Environment = {}): Promise<ApiAlone> {
  const api = await startApiAlone({ JWT_SECRET: '', JWT_JWKS_URL: url, ...overrides });
  started.push(api);
  return api;
}
const CREATING = { USERS_FROM_TOKENS: 'true', JWT_ISSUER: ISSUER };
const creating = (overrides: Environment = {}): Promise<ApiAlone> => start({ ...CREATING, ...overrides });

type Requests = Pick<ApiAlone, 'client'>;
const read = ({ client }: Requests, token: string, path = '/api/content/999999'): Promise<ApiResponse> =>
  client.request('GET', path, { token });
const send = ({ client }: Requests, method: string, path: string, token: string, body: object = {}): Promise<ApiResponse> =>
  client.request(method, path, { token, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const upload = (api: Requests, token: string, creatorId: number, more: object = {}): Promise<ApiResponse> =>
  send(api, 'POST', '/content', token, { creatorId, name: 'x', description: '', version: 1, data: '', ...more });
const ownUser = async (api: Requests, token: string, method = 'PUT'): Promise<ApiResponse> =>
  api.client.request(method, '/api/users/me', { token });
const ownId = async (api: Requests, token: string): Promise<number> => ((await ownUser(api, token)).body as { userId: number }).userId;
const countUsers = async ({ database }: ApiAlone): Promise<number> =>
  Number((await database.query<{ count: string }>('select count(*) from users'))[0]?.count);
const insertUser = async ({ database }: Pick<ApiAlone, 'database'>, credential: string): Promise<number> => {
  const insert = `insert into users (username, credential) values ('Known', $1) returning user_id`;
  return (await database.query<{ userId: number }>(insert, [credential]))[0]?.userId ?? NaN;
};

/** With a valid token the missing item is 404; without one the response is 403. */
const ACCEPTED = 404;
const SUBJECT = { iss: ISSUER, sub: 'auth0|ada', name: 'Ada' };

describe.each(rows(1, Object.entries(PROVIDERS)))('an access token of %s', (_, { header, claims, settings, name, idToken }) => {
  const credential = `${String(claims['iss'])}|${String(claims[settings['JWT_USER_CLAIM'] ?? 'sub'])}`;

  it('reads, and writes as the user whose credential is issuer and subject', async () => {
    const api = await start(settings);
    const userId = await insertUser(api, credential);
    const token = await tokenWith(claims, header);
    expect((await read(api, token)).status).toBe(ACCEPTED);
    expect((await ownUser(api, token, 'GET')).body).toEqual({ userId, username: 'Known', credential });
    expect(await upload(api, token, userId)).toMatchObject({ status: 201, body: { creator: { user_id: userId, credential } } });
  });

  it('becomes a user at the first write with USERS_FROM_TOKENS', async () => {
    const api = await creating(settings);
    const token = await tokenWith(claims, header);
    const username = typeof name === 'string' ? name : expect.stringMatching(name);
    expect((await ownUser(api, token)).body).toEqual({ userId: expect.any(Number), username, credential });
    expect(await upload(api, token, await ownId(api, token))).toMatchObject({ status: 201, body: { creator: { username, credential } } });
  });

  it('is 403 if it is an ID token, or of another issuer or audience', async () => {
    const api = await start(settings);
    const audience = settings['JWT_AUDIENCE_CLAIM'] ?? 'aud';
    for (const wrong of [idToken, { iss: 'https://other.test/' }, { [audience]: 'other' }, { [audience]: undefined }])
      expectProblem(await read(api, await tokenWith({ ...claims, ...wrong }, header)), 403);
  });
});

describe('a token whose subject has no user', () => {
  it('reads, and writes nothing, without USERS_FROM_TOKENS', async () => {
    const service: Service = await startService();
    started.push(service);
    await service.client.upload();
    const token = await sign({ ...times(), ...SUBJECT });
    for (const path of ['/api/content', '/api/content/1', '/api/content/1/index-status', '/api/content/1/rating', '/api/content/facets'])
      expect({ path, status: (await read(service, token, path)).status }).toEqual({ path, status: 200 });
    expectProblem(await ownUser(service, token, 'GET'), 404);
    const writes: [string, string, object][] = [
      ['POST', '/content', { creatorId: 1, name: 'x', description: '', version: 1, data: '' }],
      ['PATCH', '/api/content/1', { name: 'y' }],
      ['DELETE', '/api/content/1', {}],
      ['PUT', '/api/content/1/rating', { score: 5 }],
      ['DELETE', '/api/content/1/rating', {}],
      ['PUT', '/api/users/me', {}],
    ];
    for (const [method, path, body] of writes) expectProblem(await send(service, method, path, token, body), 403);
    expect((await service.client.get('/api/content/1')).body).toMatchObject({ name: expect.not.stringMatching('^y$'), avgRating: 0 });
  });

  it('writes as soon as an operator adds the user, also with the same token', async () => {
    const api = await start();
    const token = await tokenWith(SUBJECT);
    expectProblem(await upload(api, token, 1), 403);
    const { json } = await apiCommand(api.env, 'users', 'add', 'Ada', '--credential', `${ISSUER}|auth0|ada`, '--json');
    const { userId } = json[0] as { userId: number };
    expect((await upload(api, token, userId)).status).toBe(201);
  });

  it('writes as the user to whom an operator has linked the account, and the empty user of a first sign-in is gone', async () => {
    const api = await creating();
    const subject = { ...SUBJECT, sub: 'auth0|linked' };
    const credential = `${ISSUER}|${subject.sub}`;
    const first = (await ownUser(api, await tokenWith(subject))).body.userId as number;
    const link = (id: number) => apiCommand(api.env, 'users', 'link', String(id), credential, '--json');
    expect((await link(1)).json).toEqual([{ userId: 1, credential, removed: first }]);
    const later = await tokenWith({ ...subject, jti: 'another token' });
    expect((await ownUser(api, later, 'GET')).body).toMatchObject({ userId: 1, credential });
    expect((await upload(api, later, 1)).status).toBe(201);
    const refused = await link(2);
    expect([refused.code, refused.stderr]).toEqual([expect.any(Number), expect.stringMatching(/User 1 .* items.* user 2 /)]);
    expect(refused.code).not.toBe(0);
    expect((await link(1)).json).toEqual([{ userId: 1, credential }]);
    expect((await link(999)).stderr).toContain('There is no user 999.');
  });

  it('is a new user after an erasure, unless the user was blocked, until an operator adds and unblocks one', async () => {
    const api = await creating();
    const users = (...args: string[]) => apiCommand(api.env, 'users', ...args, '--json');
    const signIn = async (sub: string) => ownUser(api, await tokenWith({ ...SUBJECT, sub, jti: crypto.randomUUID() }));
    const ids: number[] = [];
    for (const sub of ['auth0|leaves', 'auth0|harmful']) {
      const id = (await signIn(sub)).body.userId as number;
      expect((await upload(api, await tokenWith({ ...SUBJECT, sub }), id)).status).toBe(201);
      ids.push(id);
    }
    await users('block', String(ids[1]), '--reason', 'spam');
    // There is no indexer.
    expect((await users('erase', ...ids.map(String), '--wait', '0')).code).toBe(75);
    const again = await signIn('auth0|leaves');
    expect([again.status, ids.includes(again.body.userId)]).toEqual([200, false]);
    expect((await signIn('auth0|harmful')).status).toBe(403);
    const { json } = await users('add', 'Harmful', '--credential', `${ISSUER}|auth0|harmful`);
    const { userId } = json[0] as { userId: number };
    expect((await users('list')).json).toContainEqual(expect.objectContaining({ userId, blocked: expect.objectContaining({ reason: 'spam' }) }));
    expect((await users('unblock', String(userId))).json).toEqual([{ userId, wasBlocked: true }]);
    await until('the end of the block is read', async () => (await signIn('auth0|harmful')).body.userId === userId);
  }); // prettier-ignore

  it('stays blocked with both accounts when an operator links another one, also if the block is older than the user', async () => {
    const api = await creating();
    const users = (...args: string[]) => apiCommand(api.env, 'users', ...args, '--json');
    const accountOf = (sub: string) => `${ISSUER}|auth0|${sub}`;
    const signIn = async (sub: string) => ownUser(api, await tokenWith({ ...SUBJECT, sub: `auth0|${sub}`, jti: crypto.randomUUID() }));
    const expectBlocked = (sub: string) => until(`${sub} is blocked`, async () => (await signIn(sub)).body.type?.endsWith('#user-blocked'));
    const blocksIn = async (userId: number) =>
      ((await users('list')).json as { userId: number; blocked?: { reason: string } }[]).flatMap((user) => (user.userId === userId ? [user.blocked?.reason] : []));
    const userId = (await signIn('first')).body.userId as number;
    await users('block', `${userId}`, '--reason', 'spam');
    expect((await users('link', `${userId}`, accountOf('second'))).json).toEqual([{ userId, credential: accountOf('second'), blocked: true }]);
    for (const sub of ['first', 'second']) await expectBlocked(sub);
    await users('block', `${userId}`, '--reason', 'more spam');
    expect(await blocksIn(userId)).toEqual(['more spam']);
    expect((await users('erase', `${userId}`)).code).toBe(0);
    for (const sub of ['first', 'second']) await expectBlocked(sub);
    const [added] = (await users('add', 'Added', '--credential', accountOf('second'))).json as { userId: number; blocked: boolean }[];
    expect(added).toEqual({ userId: expect.any(Number), blocked: true });
    const later = `${added?.userId}`;
    expect((await users('link', later, accountOf('third'))).json).toMatchObject([{ blocked: true }]);
    for (const sub of ['second', 'third']) await expectBlocked(sub);
    expect(await blocksIn(Number(later))).toEqual(['more spam']);
    const harmless = (await signIn('harmless')).body.userId as number;
    expect((await users('link', `${harmless}`, accountOf('first'))).json).toMatchObject([{ blocked: true }]);
    await expectBlocked('harmless');
    for (const [id, own] of [[later, 'third'], [`${harmless}`, 'first']] as const) {
      expect((await users('unblock', id)).json).toEqual([{ userId: Number(id), wasBlocked: true }]);
      await until('the end of the block is read', async () => (await signIn(own)).body.userId === Number(id));
    }
    for (const sub of ['second', 'harmless']) expect((await signIn(sub)).status).toBe(200);
  }); // prettier-ignore

  const SUBJECTS = [
    '3f1c5a3e-6c1f-4f52-9b9b-2f8f6d0c7a11',
    'auth0|x',
    'x@clients',
    '110169484474386276334',
    '170088295403946241',
    'Ærøskøbing',
    'a b',
    '0x1f',
    '1.5',
  ];

  it.each(rows(2, SUBJECTS))('is valid with the subject %s', async (sub) => {
    const api = await start();
    expect((await read(api, await tokenWith({ iss: ISSUER, sub }))).status).toBe(ACCEPTED);
  });

  const INVALID: [string, Claims][] = [
    ['a mistyped user id', { sub: '01' }],
    ['zero', { sub: '0' }],
    ['a negative number', { sub: '-1' }],
    ['an empty subject', { sub: '' }],
    ['a blank subject', { sub: ' ' }],
    ['no subject', { sub: undefined }],
    ['a subject that is an object', { sub: { id: 1 } }],
    ['a subject with a NUL', { sub: 'a\u0000b' }],
    ['a subject that was not UTF-8', { sub: 'a\ufffd' }],
    ['no issuer', { iss: undefined }],
    ['an issuer that is a list', { iss: [ISSUER] }],
  ];

  it.each(rows(4, INVALID))('is 403 with %s', async (_, claims) => {
    const api = await creating({ JWT_SUBJECTS_ARE_USER_IDS: 'true' });
    expectProblem(await read(api, await tokenWith({ ...SUBJECT, ...claims })), 403);
    expectProblem(await ownUser(api, await tokenWith({ ...SUBJECT, ...claims })), 403);
  });

  it('reads with a credential that is too long for a user, and is 403 for a write', async () => {
    const api = await creating();
    const token = await tokenWith({ ...SUBJECT, sub: `auth0|${'x'.repeat(400)}` });
    expect((await read(api, token)).status).toBe(ACCEPTED);
    expectProblem(await ownUser(api, token), 403);
  });
});

describe('a numeric subject', () => {
  it('is a subject like any other with USERS_FROM_TOKENS: it is no other account, and keeps one that has its credential', async () => {
    const api = await creating();
    const known = await insertUser(api, `${ISSUER}|31`);
    expect(await ownId(api, await tokenWith({ iss: ISSUER, sub: '31' }))).toBe(known);
    expectProblem(await upload(api, await tokenWith({ iss: ISSUER, sub: '1' }), 1), 403);
    expect((await ownUser(api, await tokenWith({ iss: ISSUER, sub: 1 }))).body).toMatchObject({ credential: `${ISSUER}|1` });
    expect(await countUsers(api)).toBe(5);
  });

  it('is the user id if a setting says so, and never creates a user', async () => {
    const api = await creating({ JWT_SUBJECTS_ARE_USER_IDS: 'true' });
    expect((await upload(api, await tokenWith({ iss: ISSUER, sub: '1', name: 'Mallory' }), 1)).body).toMatchObject({
      creator: { user_id: 1, username: 'ada' },
    });
    expectProblem(await upload(api, await tokenWith({ iss: ISSUER, sub: '4711' }), 4_711), 403);
    expectProblem(await ownUser(api, await tokenWith({ iss: ISSUER, sub: '4711' })), 403);
    expect(await countUsers(api)).toBe(3);
  });
});

describe('a user who is created from a token', () => {
  it('is one user after many first writes at the same time', async () => {
    const one = await creating();
    const other = await startApiAlone({ ...one.env, ...CREATING });
    started.push(other);
    const tokens = await Promise.all(Array.from({ length: 10 }, (_, n) => tokenWith({ ...SUBJECT, jti: String(n) })));
    const ids: number[] = [];
    // On a busy machine some requests find no connection to PostgreSQL in time.
    const create = async (api: ApiAlone, token: string): Promise<void> => {
      await until('the response contains the id', async () => (await ownUser(api, token)).status === 200);
      ids.push(await ownId(api, token));
    };
    await Promise.all(tokens.flatMap((token) => [create(one, token), create(other, token)]));
    expect(new Set(ids).size).toBe(1);
    expect(await countUsers(one)).toBe(4);
  });

  it('is not created by reads, by invalid bodies or by downloads', async () => {
    const api = await creating({ JWT_SUBJECTS_ARE_USER_IDS: 'true' });
    const token = await tokenWith(SUBJECT);
    expect((await upload(api, await tokenWith({ iss: ISSUER, sub: '1' }), 1)).status).toBe(201);
    await read(api, token);
    await ownUser(api, token, 'GET');
    expectProblem(await send(api, 'POST', '/content', token, { creatorId: 1 }), 400);
    expect((await send(api, 'POST', '/api/content/1/downloads', token)).status).toBe(204);
    expect(await countUsers(api)).toBe(3);
    expect((await send(api, 'PUT', '/api/content/1/rating', token, { score: 5 })).status).toBe(204);
    expect(await countUsers(api)).toBe(4);
  });

  it('uploads for itself only, and the response to another creatorId names the own id', async () => {
    const api = await creating();
    const token = await tokenWith(SUBJECT);
    const { detail } = expectProblem(await upload(api, token, 1), 403);
    const id = await ownId(api, token);
    expect(detail).toBe(`creatorId must be the user id of the token (${id}).`);
    expect((await upload(api, token, id)).status).toBe(201);
  });

  const NAMES: [string, unknown, string | RegExp][] = [
    ['blanks around it', '  Ada  ', 'Ada'],
    ['more than 200 characters', '😀'.repeat(201), '😀'.repeat(200)],
    ['escapes, ends of lines and overrides', '\x1b[1A\nAda\u202eL\u2028', '[1A Ada L'],
    ['nothing', undefined, /^User [\da-f]{8}$/],
    ['blanks', ' \t', /^User/],
    ['invisible characters', '\u200b\u2060', /^User/],
    ['a NUL', 'a\u0000', /^User/],
    ['a number', 7, /^User/],
    ['an object', { first: 'Ada' }, /^User/],
  ];

  it.each(rows(3, NAMES))('has a name if the claim contains %s', async (_, name, expected) => {
    const api = await creating();
    const { body } = await ownUser(api, await tokenWith({ ...SUBJECT, name }));
    expect(body).toMatchObject({ username: typeof expected === 'string' ? expected : expect.stringMatching(expected) });
  });

  it('gets the name of a newer token, in lists too, and never that of an older one', async () => {
    const service: Service = await startService(CREATING);
    started.push(service);
    const tokenOf = (name: string | undefined, secondsAgo: number, claims: Claims = {}): Promise<string> =>
      sign({ ...times(), ...SUBJECT, name, iat: nowSeconds() - secondsAgo, ...claims });
    const [first, older, newer] = await Promise.all([tokenOf('Ada', 300), tokenOf('Older', 400), tokenOf('Ada Lovelace', 100)]);
    const id = await ownId(service, first);
    for (let n = 0; n < 3; n += 1) expect((await upload(service, first, id)).status).toBe(201);
    expect((await ownUser(service, older)).body).toMatchObject({ username: 'Ada' });
    expect((await ownUser(service, newer)).body).toMatchObject({ username: 'Ada Lovelace' });
    for (const token of [first, await tokenOf('Ada', 200), await tokenOf(undefined, 50), await tokenOf('Later', 10, { iat: undefined })])
      expect((await ownUser(service, token)).body).toMatchObject({ username: 'Ada Lovelace' });
    await until('lists show the name', async () => {
      const { body } = await read(service, first, `/api/content?creatorId=${id}`);
      const { content } = body as { content: { creatorName: string }[] };
      return content.length === 3 && content.every(({ creatorName }) => creatorName === 'Ada Lovelace');
    });
    expect(await service.database.query('select * from rename_progress')).toEqual([]);
  });

  it('keeps its name if it was named by an operator and USERS_FROM_TOKENS is not set', async () => {
    const api = await start();
    await insertUser(api, `${ISSUER}|auth0|ada`);
    expect((await ownUser(api, await tokenWith(SUBJECT))).body).toMatchObject({ username: 'Known' });
  });

  it('is shown with its new name although the process that renamed it was stopped', async () => {
    const service: Service = await startService(CREATING);
    started.push(service);
    const token = await sign({ ...times(), ...SUBJECT });
    const id = await ownId(service, token);
    await upload(service, token, id);
    // What a process leaves that has stored the name and not yet indexed the items.
    await service.database.query(`update users set username = 'New' where user_id = $1`, [id]);
    await service.database.query(`insert into rename_progress (user_id) values ($1)`, [id]);
    started.push(await startApiAlone({ ...service.env, ...CREATING }));
    await until('the list shows the name', async () => {
      const { body } = await read(service, token, `/api/content?creatorId=${id}`);
      return (body as { content: { creatorName: string }[] }).content[0]?.creatorName === 'New';
    });
  });
});

describe('the user of a remembered token', () => {
  it('is not looked up again, and reads never look it up', async () => {
    const api = await creating();
    const token = await tokenWith(SUBJECT);
    const id = await ownId(api, token);
    await api.database.query(`update users set credential = 'gone' where user_id = $1`, [id]);
    const { status, body } = await upload(api, token, id, { thumbnail: png().toString('base64') });
    expect(status).toBe(201);
    await api.database.query('alter table users rename to away');
    const picture = `/api/content/${(body as { content_id: number }).content_id}/thumbnail`;
    expect((await read(api, await tokenWith({ ...SUBJECT, sub: 'another' }), picture)).status).toBe(200);
    await api.database.query('alter table away rename to users');
  });

  it('has limits of its own, also without a user, and reads of all its tokens count together', async () => {
    const api = await start({ RATE_LIMIT_READS_PER_MINUTE: '6' });
    const statuses = async (sub: string, times: number): Promise<number[]> => {
      const found: number[] = [];
      for (let n = 0; n < times; n += 1) found.push((await read(api, await tokenWith({ ...SUBJECT, sub, jti: String(n) }))).status);
      return found;
    };
    // Before it is connected to Redis, the process counts in its memory.
    expect((await statuses('auth0|ada', 14)).at(-1)).toBe(429);
    expect(await statuses('auth0|boris', 3)).not.toContain(429);
  });

  it('has Idempotency-Keys of its own, also as a machine that uploads for others and has no user', async () => {
    const api = await start();
    const uploadAs = async (sub: string): Promise<unknown> => {
      const token = await tokenWith({ ...SUBJECT, sub, scope: 'content:write:any' });
      const body = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'same' };
      const response = await api.client.request('POST', '/content', { token, body, headers });
      expect(response.status).toBe(201);
      return (response.body as { content_id: number }).content_id;
    };
    const [one, again, other] = [await uploadAs('a@clients'), await uploadAs('a@clients'), await uploadAs('b@clients')];
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });
});

describe('a key that is removed from a JWKS', () => {
  it('is accepted for eleven minutes at most, whatever was remembered', async () => {
    const realNow = Date.now;
    const realMonotonic = performance.now.bind(performance);
    const pass = (seconds: number): void => {
      jest.spyOn(Date, 'now').mockImplementation(() => realNow() + seconds * 1_000);
      jest.spyOn(performance, 'now').mockImplementation(() => realMonotonic() + seconds * 1_000);
    };
    const api = await start();
    const early = await tokenWith(SUBJECT);
    expect((await read(api, early)).status).toBe(ACCEPTED);
    const before = published;
    published = [];
    pass(598);
    const late = await tokenWith({ ...SUBJECT, jti: 'late' });
    expect((await read(api, late)).status).toBe(ACCEPTED);
    pass(601);
    expectProblem(await read(api, await tokenWith({ ...SUBJECT, jti: 'later' })), 403);
    pass(661);
    expectProblem(await read(api, late), 403);
    expectProblem(await read(api, early), 403);
    published = before;
  });
});

describe('a key server behind an egress proxy', () => {
  const asked: string[] = [];
  let folder: string;
  let keyServer: TlsProxy;
  let apis: RunningRelease[] = [];
  const tunnels = new Set<Socket>();
  // As proxies do for https, it connects to the host of the request; here the key server has every name.
  const proxy = createServer().on('connect', (request, socket: Socket) => {
    asked.push(request.url ?? '');
    const target = connect(keyServer.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const one of [socket, target]) tunnels.add(one.on('error', () => undefined));
    socket.pipe(target).pipe(socket);
  });

  beforeAll(async () => {
    folder = await dataFolder('egress-');
    const authority = await createAuthority('the authority of these tests');
    await writeFile(join(folder, 'ca.pem'), authority.cert);
    keyServer = await TlsProxy.before(url, await issueCertificate(authority));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => Promise.all(apis.splice(0).map((api) => api.stop())));
  afterAll(async () => {
    for (const socket of tunnels) socket.destroy();
    await Promise.all([keyServer.close(), new Promise((resolve) => proxy.close(resolve))]);
  });

  /** Node reads these variables when a process starts. */
  async function startBehindProxy(variables: Environment): Promise<{ client: Client; operationsUrl: string }> {
    const env = await createEnvironment({
      JWT_SECRET: '',
      JWT_JWKS_URL: `https://${UNKNOWN_HOST}/keys`,
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      ...variables,
    });
    const release = await startRelease(CHECKOUT, join(folder, String(apis.length)), env, 0);
    apis.push(release);
    return { client: new Client(release.apis[0]?.url ?? ''), operationsUrl: release.operationsUrl };
  }

  it('is asked through HTTPS_PROXY with NODE_USE_ENV_PROXY=1, and nothing else is', async () => {
    const api = await startBehindProxy({ NODE_USE_ENV_PROXY: '1', NO_PROXY: '127.0.0.1' });
    expect((await read(api, await tokenWith(SUBJECT))).status).toBe(ACCEPTED);
    await until('readiness does not name it', async () => !String(await problemsOnPage(api)).includes('key server'));
    expect((await scrape(api.operationsUrl)).get('ugc_key_server_up')).toBe(1);
    expect(new Set(asked)).toEqual(new Set([`${UNKNOWN_HOST}:443`]));
  });

  it('is not asked without NODE_USE_ENV_PROXY: responses, readiness and a metric say so, and what to set', async () => {
    const api = await startBehindProxy({});
    const token = await tokenWith(SUBJECT);
    expect(expectProblem(await read(api, token), 500).detail).toContain('key server');
    expect(expectProblem(await upload(api, token, 1), 503).detail).toContain('key server');
    await until('readiness says what to set', async () => /key server.*NODE_USE_ENV_PROXY=1/.test(String(await problemsOnPage(api))));
    expect((await scrape(api.operationsUrl)).get('ugc_key_server_up')).toBe(0);
  });
});
