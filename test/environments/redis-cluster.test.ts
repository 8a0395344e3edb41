import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { indexCommand } from '../support/processes/command.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { long } from '../support/jest/long.ts';
import { startOwnRedis, type OwnRedis } from '../support/servers/own-redis.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

const LAST_SLOT = 16_383;

const redis = forAllTests(() => startOwnRedis({ 'cluster-enabled': 'yes' }));
beforeAll(async () => {
  await redis.admin.cluster('ADDSLOTSRANGE', 0, LAST_SLOT);
  await serves(redis, 'ok');
});

function serves({ admin }: OwnRedis, state: string): Promise<void> {
  return until(`the state of the cluster is ${state}`, async () => String(await admin.cluster('INFO')).includes(`cluster_state:${state}`));
}

/** @returns what the API says about this Redis in its log, readiness, metric, operators' status and index:status */
async function problemsSaid(url: string, queuePrefix: string): Promise<string[]> {
  const api = await startApiAlone({ REDIS_URL: url, QUEUE_PREFIX: queuePrefix, LOG_LEVEL: 'info' });
  await until('it is logged', () => api.logged.some((line) => line.includes('Redis refuses what the service needs')));
  await until('readiness says it', async () => (await api.client.get('/health/ready')).body.stores.redis === 'refuses');
  expect((await api.client.get('/health/ready')).body.status).toBe('degraded');
  expect((await scrape(api.operationsUrl)).get('ugc_redis_up')).toBe(0);
  expect((await api.client.tryUpload()).status).toBe(201);
  const status = (await fetch(`${api.operationsUrl}/status`).then((response) => response.json())) as OperationsStatus;
  const command = await indexCommand(api.env, 'index-status', '--json');
  expect(command.json).toEqual([expect.objectContaining({ queue: null, queueProblem: status.redisProblems.join(' ') })]);
  expect(api.logged.join()).toContain(JSON.stringify(status.redisProblems));
  await api.stop();
  return [...status.redisProblems];
}

describe('with a hash tag in QUEUE_PREFIX, a Redis in cluster mode', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const limits = { RATE_LIMIT_LISTS_PER_MINUTE: '100000', RATE_LIMIT_WRITES_PER_MINUTE: '100000' };
    cluster = await startCluster({}, { REDIS_URL: redis.url, QUEUE_PREFIX: '{ugc}', ...limits });
  });
  afterAll(() => cluster.stop());

  it('brings uploads to lists, counts rates and shares refreshes', async () => {
    const { client } = cluster;
    const response = await client.tryUpload({ name: 'clustered' }, 1, { Prefer: 'wait=20' });
    expect(response.status).toBe(201);
    await cluster.indexed();
    expect(await client.search('clustered')).toHaveLength(1);
    expect(await redis.admin.keys('{ugc}:limit:lists:1')).toHaveLength(1);
    expect(await redis.admin.keys('{ugc}:refresh:*')).not.toEqual([]);
    expect((await client.get('/health/ready')).body).toMatchObject({ status: 'ready', stores: { redis: 'up' } });
  });

  it('lets the indexer be watched and stopped', async () => {
    expect((await fetch(`${cluster.indexer.url}/health/live`)).status).toBe(200);
    expect((await indexCommand(cluster.env, 'index-status', '--json')).json[0]).toMatchObject({ queue: { waiting: 0, paused: false } });
    const { operationsUrl } = cluster;
    await until('the indexer is listed', async () => {
      const { queue } = (await fetch(`${operationsUrl}/status`).then((response) => response.json())) as OperationsStatus;
      return 'value' in queue && queue.value.indexers === 1;
    });
  });
});

it('without a hash tag, everything that tells the state says to set QUEUE_PREFIX={ugc}, and uploads are stored', async () => {
  expect(await problemsSaid(redis.url, 'ugc')).toEqual([expect.stringContaining('set QUEUE_PREFIX={ugc} for every API and indexer')]);
});

long.it('if another node of the cluster holds the keys, everything that tells the state names it', async () => {
  const other = await startOwnRedis({ 'cluster-enabled': 'yes' });
  const [host, port] = [new URL(redis.url).hostname, Number(new URL(redis.url).port)];
  await other.admin.call('CLUSTER', 'MEET', host, port, redis.busPort);
  await until('the nodes know each other', async () => String(await other.admin.cluster('NODES')).includes(`:${port}@`));
  await serves(other, 'ok');
  expect(await problemsSaid(other.url, '{ugc}')).toEqual([expect.stringContaining(`the node ${host}:${port} holds the keys`)]);
  await other.stop();
});

long.it('if the cluster lacks slots, everything that tells the state says so', async () => {
  const broken = await startOwnRedis({ 'cluster-enabled': 'yes' });
  expect(await problemsSaid(broken.url, '{ugc}')).toEqual([expect.stringContaining('The Redis cluster serves no requests')]);
  await broken.stop();
});
