import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { indexCommand } from '../support/processes/command.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Forwards to the Redis of the tests, and says that it is version 6.0. */
function oldRedis(): Server {
  const { hostname, port } = new URL(process.env['TEST_REDIS_URL'] ?? '');
  return createServer((client) => {
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
  expect(await fetch(`${api.operationsUrl}/status`).then((response) => response.json())).toMatchObject({ redisProblems: [problem] });
  expect((await indexCommand(api.env, 'index-status', '--json')).json[0]).toMatchObject({ queueProblem: problem });
  expect((await api.client.tryUpload()).status).toBe(201);
  await api.stop();
  server.close();
});

it('an Elasticsearch that is too old is named at the start, in readiness and in index:status', async () => {
  // As version 8 responds to the media types of a client of version 9.
  const error = { type: 'media_type_header_exception', reason: 'Invalid media-type value on headers [Accept, Content-Type]' };
  const server = createHttpServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
    response.end(JSON.stringify({ error: { root_cause: [error], ...error }, status: 400 }));
  });
  const api = await startApiAlone({ ELASTICSEARCH_URL: `http://127.0.0.1:${await portOf(server)}`, LOG_LEVEL: 'info' });
  const problem = expect.stringMatching(/^Elasticsearch .*is too old: it must be version 9 or later/);
  await until('readiness says it', async () => (await api.client.get('/health/ready')).body.problems?.length === 1);
  expect((await api.client.get('/health/ready')).body).toMatchObject({ status: 'degraded', problems: [problem] });
  expect(api.logged.some((line) => line.includes('it must be version 9 or later'))).toBe(true);
  expect((await indexCommand(api.env, 'index-status', '--json')).json[0]).toMatchObject({ indicesProblem: problem });
  await api.stop();
  server.closeAllConnections();
  server.close();
});
