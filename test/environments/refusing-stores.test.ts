import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import pg from 'pg';
import { createDatabase } from '../support/database/database.ts';
import { problemsOnPage, readStatus } from '../support/http/operations-status.ts';
import { long, rows } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { apiCommand, indexCommand, startApiCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { createRedisUser, type OwnRedis, startOwnRedis } from '../support/servers/redis.ts';

let env: Environment;
let redis: OwnRedis;
/** A proxy in front of Elasticsearch that responds itself with the status in the path. */
let proxy: Server;
let proxyUrl: string;
beforeAll(async () => {
  env = await createEnvironment();
  redis = await startOwnRedis();
  await createRedisUser(redis, 'cut', '~* +@all -eval');
  proxy = createServer((request, response) => {
    const [, status = 404, product] = /^\/(\d+)(\/es)?/.exec(request.url ?? '') ?? [];
    const error = { type: 'security_exception', reason: 'not permitted' };
    const headers = { 'content-type': 'application/json', ...(product && { 'x-elastic-product': 'Elasticsearch' }) };
    response.writeHead(Number(status), headers).end(JSON.stringify({ error }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  proxy.close();
  await redis.stop();
});

const withUrl = (change: (url: URL) => void): Environment => {
  const url = new URL(env['DATABASE_URL'] ?? '');
  change(url);
  return { ...env, DATABASE_URL: url.href };
};

/** One sentence or two in one line, without a stack trace. */
function expectSentence(text: string, message: RegExp): void {
  expect(text.trimEnd().split('\n')).toEqual([expect.stringMatching(message)]);
}

describe('a command says in one line what PostgreSQL refuses and what to do, and exits with 1', () => {
  const REFUSALS: [string, () => Promise<Environment> | Environment, RegExp][] = [
    [
      'a database that does not exist',
      () => withUrl((url) => (url.pathname = '/nowhere')),
      /database "nowhere" does not exist .*Correct DATABASE_URL/,
    ],
    ['a user that does not exist', () => withUrl((url) => (url.username = 'nobody')), /"nobody".*Correct DATABASE_URL/],
    [
      'an empty database',
      async () => ({ ...env, DATABASE_URL: await createDatabase() }),
      /lacks migrations: run node services\/api\/src\/commands\/migrate\.ts/,
    ],
    [
      'a user without privileges',
      async () => {
        const client = new pg.Client(env['DATABASE_URL'] ?? '');
        await client.connect();
        await client.query('create role reader_without_privileges login');
        await client.end();
        return withUrl((url) => (url.username = 'reader_without_privileges'));
      },
      /user reader_without_privileges.*permission denied.*Grant the privilege/,
    ],
  ];

  it.each(rows(1, REFUSALS))('%s', async (_, environment, message) => {
    const changed = await environment();
    const status = await indexCommand(changed, 'index-status');
    expectSentence(status.stderr, message);
    expect(status.code).toBe(1);
    const users = await apiCommand(changed, 'users', 'list');
    expectSentence(users.stderr, message);
    expect(users.code).toBe(1);
  });

  it('a PostgreSQL that does not respond is named with its address, and the command may be tried again', async () => {
    const { code, stderr } = await indexCommand(
      withUrl((url) => (url.port = '1')),
      'index-status',
    );
    expectSentence(stderr, /^PostgreSQL at 127\.0\.0\.1:1 .*ECONNREFUSED.*\. Is the stack running\?$/);
    expect(code).toBe(75);
  });

  it('a migration with --wait waits for a PostgreSQL that does not respond yet, and says why', async () => {
    const { process: migrating, result } = startApiCommand(
      withUrl((url) => (url.port = '1')),
      'migrate',
      '--wait',
    );
    await new Promise((resolve) => migrating.stderr?.once('data', resolve));
    migrating.kill();
    expect((await result).stderr).toMatch(/^Waiting: PostgreSQL at 127\.0\.0\.1:1 .*ECONNREFUSED/);
  });

  long.it('a DATABASE_URL of another service leads to one line', async () => {
    const { code, stderr } = await indexCommand(
      withUrl((url) => (url.port = new URL(redis.url).port)),
      'index-status',
    );
    expectSentence(stderr, /PostgreSQL/);
    expect([1, 75]).toContain(code);
  });
});

describe('a command says in one line what Elasticsearch refuses and what to do', () => {
  const RESPONSES: [string, number, RegExp][] = [
    ['503', 75, /: 503 .*Try again\./],
    ['401/es', 1, /: 401 .*password in ELASTICSEARCH_URL/],
    ['401', 1, /: 401 .*password in ELASTICSEARCH_URL/],
    ['403/es', 1, /: 403 security_exception not permitted\. Grant the privilege/],
    ['400/es', 1, /: 400 security_exception not permitted\.$/],
    ['404', 1, /It is not Elasticsearch.*correct ELASTICSEARCH_URL/],
    ['200', 1, /It is not Elasticsearch.*correct ELASTICSEARCH_URL/],
  ];

  it.each(rows(2, RESPONSES))('with %s, and index:rebuild exits with %d', async (path, exitCode, message) => {
    const changed = { ...env, ELASTICSEARCH_URL: `${proxyUrl}/${path}` };
    const rebuild = await indexCommand(changed, 'index-rebuild');
    expectSentence(rebuild.stderr, message);
    expect(rebuild.code).toBe(exitCode);
    const status = await indexCommand(changed, 'index-status', '--json');
    expect(status).toMatchObject({ code: 0, json: [{ indices: null, indicesProblem: expect.stringMatching(message) }] });
  });
});

describe('index:status says what Redis refuses and what to do, in its table and as queueProblem', () => {
  /** The command waits for the whole limit. */
  const silent = (url: string): Environment => ({ REDIS_URL: url, STORE_TIMEOUT_FACTOR: '1' });
  const REFUSALS: [string, () => Environment, RegExp][] = [
    [
      'a wrong password',
      () => ({ REDIS_URL: redis.urlOf('cut').replace('secret', 'wrong') }),
      /: WRONGPASS .*Correct the user and the password in REDIS_URL/,
    ],
    ['a user without EVAL', () => ({ REDIS_URL: redis.urlOf('cut') }), /run ACL SETUSER cut \+eval$/],
    ['no response', () => silent('redis://127.0.0.1:1'), /^Redis at 127\.0\.0\.1:1: .*ECONNREFUSED/],
    ['another service', () => silent(`redis://${new URL(env['DATABASE_URL'] ?? '').host}`), /Redis/],
  ];

  it.each(rows(2, REFUSALS))('%s', async (_, changed, message) => {
    const { code, json } = await indexCommand({ ...env, ...changed() }, 'index-status', '--json');
    expect([code, json]).toEqual([0, [expect.objectContaining({ queue: null, queueProblem: expect.stringMatching(message) })]]);
  });
});

describe('a command whose output is closed', () => {
  const run = (line: string): Promise<{ stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const node = `${process.execPath} ${CHECKOUT}services`;
      const shell = line
        .replace('STATUS', `${node}/indexer/src/commands/index-status.ts`)
        .replace('USERS', `${node}/api/src/commands/users.ts`);
      execFile('sh', ['-c', shell], { env: { PATH: process.env['PATH'], ...env } }, (_, stdout, stderr) => resolve({ stdout, stderr }));
    });

  it.each(rows(1, ['STATUS', 'STATUS --json', 'STATUS --help', 'USERS list']))(
    'as by head: %s ends without a message, with the code of its work',
    async (command) => {
      // The reader has ended before the command writes.
      expect(await run(`{ ${command}; echo "code $?" >&2; } | true`)).toEqual({
        stdout: '',
        stderr: expect.stringMatching(/^(.*no index yet\.\n)?code 0\n$/),
      });
    },
  );

  it.each(rows(1, ['STATUS', 'USERS list']))('by a full disk: %s says so and fails', async (command) => {
    const { stderr } = await run(`${command} > /dev/full; echo "code $?" >&2`);
    expect(stderr).toMatch(/The result could not be written to standard output: .*ENOSPC.*\ncode 1\n$/);
  });
});

describe('a store that is too old', () => {
  async function portOf(server: TcpServer): Promise<number> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Forwards to the Redis of the tests, and says that it is version 6.0. */
  function oldRedis(): TcpServer {
    const { hostname, port } = new URL(process.env['TEST_REDIS_URL'] ?? '');
    return createTcpServer((client) => {
      const redis = connect(Number(port), hostname);
      client.on('error', () => redis.destroy()).on('close', () => redis.destroy());
      redis.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.pipe(redis);
      redis.on('data', (reply) => client.write(reply.toString('latin1').replace(/redis_version:\d\.\d/, 'redis_version:6.0'), 'latin1'));
    });
  }

  it('a Redis that is too old is named at the start, in readiness, in index:status and on the operators page', async () => {
    const server = oldRedis();
    const api = await startApiAlone({ REDIS_URL: `redis://127.0.0.1:${await portOf(server)}`, LOG_LEVEL: 'info' });
    const problem = expect.stringMatching(/^Redis has version 6\.0\S* which is too old: it must be version 6\.2 or later, or Valkey\.$/);
    await until('it is logged', () => api.logged.some((line) => line.includes('it must be version 6.2 or later')));
    expect((await api.client.get('/health/ready')).body).toMatchObject({ status: 'degraded', stores: { redis: 'refuses' } });
    expect(await readStatus(api.operationsUrl)).toMatchObject({ redisProblems: [problem] });
    expect((await indexCommand(api.env, 'index-status', '--json')).json[0]).toMatchObject({ queueProblem: problem });
    expect((await api.client.tryUpload()).status).toBe(201);
    // A successful probe is logged at the level debug.
    expect(api.logged.filter((line) => line.includes('"msg":"request"') && line.includes('/health/'))).toEqual([]);
    await api.stop();
    server.close();
  });

  it('an Elasticsearch that is too old is named at the start, in readiness and in index:status', async () => {
    // As version 8 responds to the media types of a client of version 9.
    const error = { type: 'media_type_header_exception', reason: 'Invalid media-type value on headers [Accept, Content-Type]' };
    const server = createServer((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      response.end(JSON.stringify({ error: { root_cause: [error], ...error }, status: 400 }));
    });
    const api = await startApiAlone({ ELASTICSEARCH_URL: `http://127.0.0.1:${await portOf(server)}`, LOG_LEVEL: 'info' });
    const problem = expect.stringMatching(/^Elasticsearch .*is too old: it must be version 9 or later/);
    await until('readiness says it', async () => (await api.client.get('/health/ready')).body.status === 'degraded');
    await until('the page says why', async () => (await problemsOnPage(api)).length === 1);
    expect(await problemsOnPage(api)).toEqual([problem]);
    expect(api.logged.some((line) => line.includes('it must be version 9 or later'))).toBe(true);
    expect((await indexCommand(api.env, 'index-status', '--json')).json[0]).toMatchObject({ indicesProblem: problem });
    await api.stop();
    server.closeAllConnections();
    server.close();
  });
});
