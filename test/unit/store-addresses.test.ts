import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IndexerEnv } from '@ugc/indexer/env';
import { parseEnv, storeEnv } from '@ugc/shared/config/env';
import { postgresAddress } from '@ugc/shared/config/postgres-address';
import { describeRedisAddress, sentinelOptions } from '@ugc/shared/config/redis-address';
import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { describePostgresFailure, describeRedisFailure } from '@ugc/shared/failures/describe';
import { describeElasticsearchFailure } from '@ugc/shared/failures/describe-elasticsearch';
import { migrate } from '@ugc/shared/postgres/migrate';
import { clientWithFiles, connectPostgres } from '@ugc/shared/postgres/postgres';
import { DatabaseUnavailable } from '@ugc/shared/postgres/errors';
import { connectProducer } from '@ugc/shared/redis/redis';
import pg from 'pg';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../support/processes/environment.ts';
import { createAuthority, issueCertificate, TlsProxy } from '../support/servers/tls.ts';

it('a password that is rotated in its file is that of the next connection to PostgreSQL, unless it cannot be decoded', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'rotated-')), 'url');
  const url = 'postgresql://ugc:first@127.0.0.1:1/ugc?sslmode=disable';
  const Client = clientWithFiles(url);
  const passwordOf = (): unknown =>
    (new Client({ connectionString: url }) as unknown as { connectionParameters: { password: string } }).connectionParameters.password;
  process.env['DATABASE_URL_FILE'] = file;
  await writeFile(file, `${url.replace('first', 's%23cond')}\n`);
  expect(passwordOf()).toBe('s#cond');
  for (const [password, used] of [
    ['p%a9y', 'first'],
    ['p#y', 'first'],
    ['100%pure', '100%pure'],
  ] as const) {
    await writeFile(file, url.replace('first', password));
    expect(passwordOf()).toBe(used);
  }
  await rm(file);
  expect(passwordOf()).toBe('first');
  delete process.env['DATABASE_URL_FILE'];
});

const STORES = { DATABASE_URL: 'postgres://h/d', REDIS_URL: 'redis://h', ELASTICSEARCH_URL: 'http://h' };

function parse(env: Environment) {
  return parseEnv(storeEnv, { ...STORES, ...env }, () => undefined);
}

describe('a special character of a password that is not percent-encoded is refused at the start, without the password:', () => {
  it.each<[keyof typeof STORES, string]>([
    ['DATABASE_URL', 'postgresql://u:pa#secret@h/d'],
    ['DATABASE_URL', 'postgresql://u:12#secret@h/d'],
    ['DATABASE_URL', 'postgresql://u:12/secret@h/d'],
    ['DATABASE_URL', 'postgresql://u:12?secret@h/d'],
    ['REDIS_URL', 'redis://:12#secret@h'],
    ['REDIS_URL', 'redis://u:12/secret@h'],
    ['REDIS_URL', 'redis://u:secret%@h'],
    ['ELASTICSEARCH_URL', 'http://u:12#secret@h'],
    ['ELASTICSEARCH_URL', 'http://u:12/secret@h'],
    ['ELASTICSEARCH_URL', 'http://u:secret%@h:9200'],
    ['ELASTICSEARCH_URL', 'http://u:p@g,http://u:secret%@h:9200'],
  ])('%s=%s', (name, url) => {
    const refuse = () => parse({ [name]: url });
    expect(refuse).toThrow(new RegExp(`${name}: .*must be percent-encoded: % is %25, # is %23`));
    expect(refuse).not.toThrow('secret');
  });

  it('REDIS_URL of sentinels', () => {
    expect(() => parse({ REDIS_URL: 'redis://u:100%@s1,s2', REDIS_SENTINEL_NAME: 'main' })).toThrow(/REDIS_URL: .*percent-encoded/);
  });
});

describe('DATABASE_URL', () => {
  it.each(['', '?options=-c work_mem=8MB', '?application_name=a b&sslmode=verify-full'])(
    'has the same password with the parameters "%s"',
    (query) => {
      const { DATABASE_URL: url } = parse({ DATABASE_URL: `postgresql://u:a%2Fb%23c%40d%25e%20f@h/d${query}` });
      expect(new pg.Client(url).password).toBe('a/b#c@d%e f');
    },
  );

  it.each([
    ['postgresql://u:p@h1:5432,h2:5432/d', 'has several hosts, and the service connects to one'],
    ['postgresql://u:p,w@h1,h2/d', 'has several hosts, and the service connects to one'],
    ['postgresql://u:p@h/d?host=h1,h2', 'host names several hosts, and the service connects to one'],
    ['postgresql://u:p@/d?host=/cloudsql/a:b:c', 'has no host; for a Unix socket, write postgresql://'],
    ['postgresql://h/d?port=x', 'port must be a number'],
    ['postgresql://h/%', 'cannot be used: URI malformed'],
    ['postgresql://h/d?sslnegotiation=other', 'cannot be used: Invalid sslnegotiation value'],
    ['host=h dbname=d', 'must be a URL such as postgresql://user:password@127.0.0.1:5432/ugc'],
  ])('%s is refused with what is right', (url, message) => {
    expect(() => parse({ DATABASE_URL: url })).toThrow(`DATABASE_URL: ${message}`);
  });

  it.each([
    ['postgresql://u:p,w@h/d', { address: 'h:5432', user: 'u', database: 'd' }],
    ['postgresql://u%40s:p@[::1]:5433/d', { address: '[::1]:5433', user: 'u@s', database: 'd' }],
    ['postgresql://u:p@localhost/d?host=/cloudsql/a:b:c', { address: '/cloudsql/a:b:c', user: 'u', database: 'd' }],
    ['postgresql://u@h', { address: 'h:5432', user: 'u', database: 'u' }],
    ['postgresql://u:p@h/d?sslmode=verify-full&sslcert=/gone&sslkey=/gone', { address: 'h:5432', user: 'u', database: 'd' }],
    ['postgresql://u%:p@h/d', { address: 'h:5432', user: 'u%', database: 'd' }],
  ])('%s is named in messages as the client uses it', (url, address) => {
    expect(postgresAddress(url)).toEqual(address);
  });
});

describe('the hosts of REDIS_URL', () => {
  const SENTINELS = 'redis://ugc:p%40ss@s1:26380,s2,[::1]:26381/3';

  function parse(env: Environment): unknown {
    return parseEnv(IndexerEnv, { DATABASE_URL: 'postgres://h/d', ELASTICSEARCH_URL: 'http://h', ...env });
  }

  it('are sentinels with REDIS_SENTINEL_NAME; user, password and database are those of the primary', () => {
    expect(sentinelOptions({ REDIS_URL: SENTINELS, REDIS_SENTINEL_NAME: 'main', REDIS_SENTINEL_PASSWORD: 'other' })).toMatchObject({
      name: 'main',
      sentinels: [
        { host: 's1', port: 26_380 },
        { host: 's2', port: 26_379 },
        { host: '::1', port: 26_381 },
      ],
      username: 'ugc',
      password: 'p@ss',
      db: 3,
      sentinelPassword: 'other',
    });
  });

  it('get TLS on both hops with rediss', () => {
    const options = sentinelOptions({ REDIS_URL: SENTINELS.replace('redis:', 'rediss:'), REDIS_SENTINEL_NAME: 'main' });
    expect(options).toMatchObject({ tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} });
  });

  it('are named in messages without user and password', () => {
    const described = describeRedisAddress({ REDIS_URL: SENTINELS, REDIS_SENTINEL_NAME: 'main' });
    expect(described).toBe('the primary main of the sentinels at s1:26380, s2:26379, [::1]:26381');
    expect(describeRedisAddress({ REDIS_URL: 'redis://ugc:secret@h' })).toBe('h:6379');
  });

  const ONLY_A_NUMBER = /REDIS_URL: with REDIS_SENTINEL_NAME, only the number/;
  it.each([
    ['several hosts without a name', { REDIS_URL: SENTINELS }, /REDIS_URL: has several hosts.*set REDIS_SENTINEL_NAME/],
    ['a password of sentinels alone', { REDIS_URL: 'redis://h', REDIS_SENTINEL_PASSWORD: 'x' }, /REDIS_SENTINEL_PASSWORD: is used/],
    ['an empty host', { REDIS_URL: 'redis://s1:26379,,s2', REDIS_SENTINEL_NAME: 'main' }, /REDIS_URL: must be a URL such as/],
    ['a port that is none', { REDIS_URL: 'redis://s1:26379,s2:x', REDIS_SENTINEL_NAME: 'main' }, /REDIS_URL: must be a URL such as/],
    ['no number of a database', { REDIS_URL: 'redis://s1,s2/ugc', REDIS_SENTINEL_NAME: 'main' }, ONLY_A_NUMBER],
    ['parameters', { REDIS_URL: 'redis://s1,s2?family=6', REDIS_SENTINEL_NAME: 'main' }, ONLY_A_NUMBER],
    ['no number of a database on one host', { REDIS_URL: 'redis://h/ugc' }, /REDIS_URL: only the number of a database may be the path/],
    ['a prefix of keys', { REDIS_URL: 'redis://h?keyPrefix=ugc' }, /REDIS_URL: keyPrefix is not supported; set QUEUE_PREFIX/],
    ['another scheme', { REDIS_URL: 'http://h' }, /REDIS_URL: must be a URL such as/],
  ])('with %s are refused, and the message says what would be right', (_, env, message) => {
    expect(() => parse(env)).toThrow(message);
  });

  it('get TLS with REDISS too', () => {
    const redis = connectProducer({ REDIS_URL: 'REDISS://127.0.0.1:1' }, () => undefined);
    redis.disconnect();
    expect(redis.options.tls).toBeTruthy();
  });

  it('may be one sentinel only', () => {
    expect(parse({ REDIS_URL: 'redis://s1:26379', REDIS_SENTINEL_NAME: 'main' })).toMatchObject({ REDIS_SENTINEL_NAME: 'main' });
  });
});

describe('ssl mode', () => {
  const STORES = { REDIS_URL: 'redis://127.0.0.1:6379', ELASTICSEARCH_URL: 'http://127.0.0.1:9200' };
  const urlWith = (query: string): string => `postgresql://ugc:secret@db.example/ugc${query}`;

  function parsed(query: string, more: NodeJS.ProcessEnv = {}): { url: string; warnings: string[] } {
    const warnings: string[] = [];
    const env = { ...STORES, DATABASE_URL: urlWith(query), ...more };
    const { DATABASE_URL: url } = parseEnv(storeEnv, env, (warning) => warnings.push(warning));
    return { url, warnings };
  }

  it.each(['require', 'prefer', 'verify-ca'])('sslmode=%s verifies certificate and name, whatever the client makes of it', (mode) => {
    const { url, warnings } = parsed(`?sslmode=${mode}&application_name=a%20b`);
    expect(new URL(url).searchParams.get('sslmode')).toBe('verify-full');
    expect(new URL(url).searchParams.get('application_name')).toBe('a b');
    expect(warnings).toEqual([expect.stringContaining('Write sslmode=verify-full')]);
  });

  it.each(['', '?sslmode=disable', '?sslmode=verify-full', '?ssl=0', '?ssl=true&sslmode=disable'])('"%s" is used as it is', (query) =>
    expect(parsed(query)).toEqual({ url: urlWith(query), warnings: [] }),
  );

  it.each(['?ssl=true', '?ssl=1', '?sslnegotiation=direct'])('%s without sslmode is TLS that is verified by all programs', (query) =>
    expect(parsed(query)).toEqual({ url: urlWith(`${query}&sslmode=verify-full`), warnings: [] }),
  );

  describe('the file sslrootcert', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ugc-ssl-mode-'));
      await writeFile(join(folder, 'ca.pem'), (await createAuthority('an authority')).cert);
      await writeFile(join(folder, 'empty.pem'), '');
      await writeFile(join(folder, 'other.pem'), 'no certificate');
    });
    afterAll(() => rm(folder, { recursive: true }));

    it('means TLS that is verified by all programs, also without sslmode', () => {
      const query = `?sslrootcert=${encodeURIComponent(join(folder, 'ca.pem'))}`;
      expect(parsed(query)).toEqual({ url: urlWith(`${query}&sslmode=verify-full`), warnings: [] });
    });

    it('of the system is that of a URL without it', () => {
      expect(() => parsed('?sslmode=verify-full&sslrootcert=system')).toThrow(
        'remove it: sslmode=verify-full accepts the public authorities',
      );
    });

    it.each(['empty.pem', 'other.pem'])('is refused if it contains no certificate: %s', (name) => {
      expect(() => parsed(`?sslmode=verify-full&sslrootcert=${join(folder, name)}`)).toThrow(`${name} contains no certificate in PEM`);
    });
  });

  it('sslmode=no-verify is possible, with a warning that does not contain the URL', () => {
    const { url, warnings } = parsed('?sslmode=no-verify');
    expect(url).toBe(urlWith('?sslmode=no-verify'));
    expect(warnings).toEqual([expect.stringContaining('Use verify-full.')]);
    expect(warnings.join()).not.toContain('secret');
  });

  describe('PGSSLMODE, which the client uses for a URL without a mode', () => {
    it.each(['require', 'prefer', 'verify-ca'])('%s verifies certificate and name, with a warning', (PGSSLMODE) =>
      expect(parsed('', { PGSSLMODE })).toEqual({
        url: urlWith('?sslmode=verify-full'),
        warnings: [expect.stringContaining(`sslmode=${PGSSLMODE} verifies`)],
      }),
    );

    it('no-verify has the same warning as in the URL', () =>
      expect(parsed('', { PGSSLMODE: 'no-verify' }).warnings).toEqual([expect.stringContaining('Use verify-full.')]));

    it.each(['?sslmode=verify-full', '?sslmode=disable', '?ssl=0'])('does not change %s', (query) =>
      expect(parsed(query, { PGSSLMODE: 'no-verify' })).toEqual({ url: urlWith(query), warnings: [] }),
    );
  });

  it.each([
    ['?sslmode=allow', 'sslmode must be one of verify-full, verify-ca, require, prefer, no-verify, disable'],
    ['?sslmode=', 'sslmode must be one of'],
    ['?ssl=no-verify', 'ssl can only be true; for anything else, write one of sslmode=verify-full, sslmode=no-verify and sslmode=disable'],
    ['?ssl=false', 'ssl can only be true'],
    ['?ssl=require', 'ssl can only be true'],
    ['?sslmode=verify-full&sslmode=no-verify', 'sslmode is given more than once'],
    ['?sslmode=require&uselibpqcompat=true', 'uselibpqcompat is not supported'],
    ['?sslmode=verify-full&sslrootcert=/none.pem', 'sslrootcert: the file /none.pem cannot be read'],
    ['?sslmode=verify-full&sslkey=/none.key', 'sslkey needs sslcert, the path of the certificate'],
    ['?sslmode=disable&sslcert=/c&sslkey=/k', 'sslcert and sslkey are not used with sslmode=disable'],
  ])('%s is refused with what is right', (query, message) => expect(() => parsed(query)).toThrow(`DATABASE_URL: ${message}`));
});

type Failure = { message: string; mayPass: boolean } | undefined;

async function failureOfPostgres(url: string): Promise<Failure> {
  const limits = { maxConnections: 1, statementTimeoutMs: 1_000, applicationName: 'test', onIdleError: () => undefined };
  const database = connectPostgres({ url, ...limits });
  const error: unknown = await database.query('select 1').catch((reason: unknown) => reason);
  await database.close();
  return describePostgresFailure(error, url);
}

async function failureOfElasticsearch(url: string): Promise<Failure> {
  const client = connectElasticsearch(url, 5_000);
  const error: unknown = await client.search({}).catch((reason: unknown) => reason);
  await client.close();
  return describeElasticsearchFailure(error, url);
}

async function failureOfRedis(url: string): Promise<string> {
  const address = { REDIS_URL: url };
  const error = await new Promise<Error>((resolve) => {
    const redis = connectProducer(address, (reason) => {
      redis.disconnect();
      resolve(reason);
    });
  });
  return describeRedisFailure(address, error);
}

describe('a certificate that is not accepted is said to be the reason, with what to do, and another try is not recommended:', () => {
  const UNKNOWN = /unable to verify the first certificate.*\. Set NODE_EXTRA_CA_CERTS/;
  let proxies: Record<'postgres' | 'other', TlsProxy>;
  beforeAll(async () => {
    const certificate = await issueCertificate(await createAuthority('an authority'));
    proxies = {
      postgres: await TlsProxy.before('postgresql://127.0.0.1:1', certificate),
      other: await TlsProxy.before('http://127.0.0.1:1', certificate),
    };
  });
  afterAll(() => Promise.all(Object.values(proxies).map((proxy) => proxy.close())));
  const postgresUrl = () => `postgresql://u@127.0.0.1:${proxies.postgres.port}/d?sslmode=verify-full`;

  it('PostgreSQL', async () => {
    const failure = { message: expect.stringMatching(UNKNOWN), mayPass: false };
    expect(await failureOfPostgres(postgresUrl())).toMatchObject(failure);
    const error: unknown = await migrate(postgresUrl()).catch((reason: unknown) => reason);
    expect(describePostgresFailure(error, postgresUrl())).toMatchObject(failure);
  });

  it('Elasticsearch', async () => {
    const failure = { message: expect.stringMatching(UNKNOWN), mayPass: false };
    expect(await failureOfElasticsearch(`https://127.0.0.1:${proxies.other.port}`)).toMatchObject(failure);
  });

  it('Redis', async () => {
    expect(await failureOfRedis(`rediss://127.0.0.1:${proxies.other.port}`)).toMatch(UNKNOWN);
  });
});

describe('PostgreSQL', () => {
  const url = 'postgresql://u@h/d';
  const failureFor = (cause: Error): Failure => describePostgresFailure(new DatabaseUnavailable('no connection', { cause }), url);
  const answer = (code: string, message: string): Error => Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });

  it('without TLS is said to have none', async () => {
    const server: Server = createServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.write('N')));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await failureOfPostgres(`postgresql://u@127.0.0.1:${port}/d?sslmode=verify-full`)).toMatchObject({
      message: expect.stringContaining('Remove sslmode from DATABASE_URL, or switch ssl on there.'),
      mayPass: false,
    });
    server.close();
  });

  it.each([
    ['no password', new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'Correct the user and the password'],
    ['no TLS', answer('28000', 'no pg_hba.conf entry for host "10.0.0.1", user "u", no encryption'), 'add sslmode=verify-full to'],
    ['an expired certificate', new Error('certificate has expired'), 'certificate has expired. Renew its certificate.'],
    ['another host', new Error("Hostname/IP does not match certificate's altnames"), 'Use a host that its certificate names.'],
  ])('%s leads to what to do', (_, cause, advice) => {
    expect(failureFor(cause)).toMatchObject({ message: expect.stringContaining(advice), mayPass: false });
  });

  it('is quoted if what it says is not known, without the password', () => {
    const withPassword = 'postgresql://u:pass%20word@h/d';
    const error = new DatabaseUnavailable('no connection', { cause: new Error('odd: pass word, pass%20word') });
    expect(describePostgresFailure(error, withPassword)?.message).toBe(
      'PostgreSQL at h:5432 (user u, database d): odd: …, …. Is the stack running?',
    );
  });
});
