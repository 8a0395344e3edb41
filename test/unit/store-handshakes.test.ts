import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectElasticsearch } from '@ugc/shared/stores/elasticsearch';
import { describeElasticsearchFailure } from '@ugc/shared/stores/elasticsearch-failure';
import { migrate } from '@ugc/shared/stores/migrate';
import { connectPostgres } from '@ugc/shared/stores/postgres';
import { DatabaseUnavailable } from '@ugc/shared/stores/postgres-errors';
import { describePostgresFailure } from '@ugc/shared/stores/postgres-failure';
import { connectProducer } from '@ugc/shared/stores/redis';
import { describeRedisFailure } from '@ugc/shared/stores/redis-unavailable';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import pg from 'pg';
import { createAuthority, issueCertificate, TlsProxy } from '../support/servers/tls.ts';

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
  const UNKNOWN = /has a certificate that is not accepted \(.*unable to verify the first certificate\): set NODE_EXTRA_CA_CERTS/;
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
      message: `PostgreSQL at 127.0.0.1:${port} has no TLS: remove sslmode from DATABASE_URL, or switch ssl on there.`,
      mayPass: false,
    });
    server.close();
  });

  it.each([
    [
      'no password',
      new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
      'demands a password of the user u: add',
    ],
    ['no TLS', answer('28000', 'no pg_hba.conf entry for host "10.0.0.1", user "u", no encryption'), 'add sslmode=verify-full to'],
    ['an expired certificate', new Error('certificate has expired'), 'is not accepted (certificate has expired): renew it.'],
    ['a certificate of another host', new Error("Hostname/IP does not match certificate's altnames"), 'use a host that it names.'],
  ])('%s leads to what to do', (_, cause, advice) => {
    expect(failureFor(cause)).toMatchObject({ message: expect.stringContaining(advice), mayPass: false });
  });
});
