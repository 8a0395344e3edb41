import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { REDIS_COMMANDS } from '@ugc/shared/stores/redis-commands';
import { readFileSync } from 'node:fs';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { indexCommand } from '../support/processes/command.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { long, rows } from '../support/jest/long.ts';
import { createRedisUser, startOwnRedis } from '../support/servers/own-redis.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

/** So that the rate limiter uses Redis too. */
const COUNTED = { RATE_LIMIT_LISTS_PER_MINUTE: '100000', RATE_LIMIT_WRITES_PER_MINUTE: '100000' };

const redis = forAllTests(() => startOwnRedis());

async function readStatus(operationsUrl: string): Promise<OperationsStatus> {
  return (await fetch(`${operationsUrl}/status`).then((response) => response.json())) as OperationsStatus;
}

async function expectIndexed({ client, indexed }: Cluster, name: string): Promise<void> {
  const response = await client.tryUpload({ name }, 1, { Prefer: 'wait=20' });
  expect(response.status).toBe(201);
  await indexed();
  expect(await client.search(name)).toHaveLength(1);
}

const RULES: [string, string][] = [
  ['with exactly the documented commands and keys', `~ugc:* -@all ${REDIS_COMMANDS.map((name) => `+${name}`).join(' ')}`],
  ['with the usual hardening, +@all -@dangerous -@admin', '~* +@all -@dangerous -@admin'],
];

describe.each(rows(1, RULES))('a Redis user %s', (_, rules) => {
  let cluster: Cluster;
  beforeAll(async () => {
    await createRedisUser(redis, 'ugc', rules);
    cluster = await startCluster({}, { REDIS_URL: redis.urlOf('ugc'), QUEUE_PREFIX: 'ugc', ...COUNTED });
  });
  afterAll(async () => {
    await cluster.stop();
    await redis.admin.flushall();
  });

  it('is enough for uploads, the index, lists, rates and the index on demand', async () => {
    await expectIndexed(cluster, 'restricted');
    expect(await redis.admin.keys('ugc:limit:lists:1')).toHaveLength(1);
    expect(await redis.admin.keys('ugc:refresh:*')).not.toEqual([]);
    expect(await redis.admin.keys('ugc:index-content:check-*')).toEqual([]);
  });

  it('is ready, and the unknown eviction policy is said where operators look, without an alert', async () => {
    expect((await cluster.client.get('/health/ready')).body).toMatchObject({ status: 'ready', stores: { redis: 'eviction_unknown' } });
    const status = await readStatus(cluster.operationsUrl);
    expect([status.stores.redis, status.redisProblems, status.queue]).toEqual([
      'eviction_unknown',
      [],
      { value: { waiting: 0, active: 0, paused: false, indexers: null, memory: null } },
    ]);
    const metrics = await scrape(cluster.operationsUrl);
    expect([metrics.get('ugc_redis_up'), metrics.get('ugc_redis_eviction_policy_ok')]).toEqual([1, undefined]);
    await until('it is logged', () => readFileSync(cluster.apiLogs[0] ?? '', 'utf8').includes('its user may not run INFO'));
    expect((await indexCommand(cluster.env, 'index-status', '--json')).json[0]).toMatchObject({
      queue: { waiting: 0 },
      queueProblem: null,
    });
  });

  long.it('does not keep the indexer from answering probes and stopping on SIGTERM', async () => {
    expect((await fetch(`${cluster.indexer.url}/health/live`)).status).toBe(200);
    await cluster.indexer.stop();
    const log = readFileSync(cluster.indexerLogs[0] ?? '', 'utf8');
    expect(log).toContain('"msg":"stopped"');
    expect(log).not.toMatch(/"level":(40|50)[^\n]*Redis/);
    await cluster.indexer.start();
    await expectIndexed(cluster, 'afterwards');
  });

  long.it('is enough for a job whose indexer is killed', async () => {
    cluster.indexer.signal('SIGSTOP');
    await cluster.client.upload({ name: 'interrupted' });
    await cluster.indexer.kill();
    await cluster.indexer.start();
    await cluster.indexed();
    expect(await cluster.client.search('interrupted')).toEqual(['interrupted']);
  });
});

describe('a user who may not do what the service needs', () => {
  let api: ApiAlone | undefined;
  afterEach(() => api?.stop());

  const REFUSED: [string, string, string][] = [
    ['without EVAL and EVALSHA', '~* +@all -@dangerous -@scripting', 'run ACL SETUSER cut +eval +evalsha'],
    ['without blocking commands', '~* +@all -bzpopmin', 'run ACL SETUSER cut +bzpopmin'],
    ['without commands that a script runs', '~* +@all -xadd -rpoplpush', 'run ACL SETUSER cut +rpoplpush +xadd'],
    ['who may only read', '~* +@read', 'run ACL SETUSER cut +set'],
    ['with the keys of another prefix', '~other:* +@all', 'run ACL SETUSER cut ~ugc:*'],
    ['with the keys of the queue only', '~ugc:index-content:* +@all', 'run ACL SETUSER cut ~ugc:*'],
  ];

  it.each(rows(1, REFUSED))(
    '%s is told what to grant by the log, readiness, the metric, the status and index:status',
    async (_, rules, advice) => {
      await createRedisUser(redis, 'cut', rules);
      api = await startApiAlone({ REDIS_URL: redis.urlOf('cut'), QUEUE_PREFIX: 'ugc', LOG_LEVEL: 'info' });
      const { client, env, logged, operationsUrl } = api;
      await until('it is logged', () => logged.some((line) => line.includes('Redis refuses what the service needs')));
      expect(logged.filter((line) => line.includes(advice))).toHaveLength(1);
      await until('readiness says it', async () => (await client.get('/health/ready')).body.stores.redis === 'refuses');
      expect((await client.get('/health/ready')).body.status).toBe('degraded');
      expect((await scrape(operationsUrl)).get('ugc_redis_up')).toBe(0);
      expect((await readStatus(operationsUrl)).redisProblems.join()).toContain(advice);
      expect((await client.tryUpload()).status).toBe(201);
      expect(await indexCommand(env, 'index-status')).toMatchObject({ code: 0, stdout: expect.stringContaining(advice) });
      await redis.admin.acl('SETUSER', 'cut', '~*', '+@all');
      await until('it is ready again', async () => (await client.get('/health/ready')).body.stores.redis === 'up');
      expect((await readStatus(operationsUrl)).redisProblems).toEqual([]);
    },
  );
});

it.each(['99', '5'])(
  'a database %s that the user does not get is named by readiness, the log and index:status, because database 0 is used',
  async (database) => {
    await createRedisUser(redis, 'zero', database === '99' ? '~* +@all' : '~* +@all -select');
    const advice = database === '99' ? 'Redis refuses the database at the end of REDIS_URL' : 'run ACL SETUSER zero +select';
    const api = await startApiAlone({ REDIS_URL: `${redis.urlOf('zero')}/${database}`, QUEUE_PREFIX: 'ugc', LOG_LEVEL: 'info' });
    await until('it is logged', () => api.logged.some((line) => line.includes('Redis refuses what') && line.includes(advice)));
    await until('readiness says it', async () => (await api.client.get('/health/ready')).body.stores.redis === 'refuses');
    expect(await indexCommand(api.env, 'index-status')).toMatchObject({ code: 0, stdout: expect.stringContaining(advice) });
    await api.stop();
  },
);

it('a database that the user gets is used', async () => {
  const api = await startApiAlone({ REDIS_URL: `${redis.url}/5`, QUEUE_PREFIX: 'ugc', LOG_LEVEL: 'info' });
  await until('Redis is up', async () => (await api.client.get('/health/ready')).body.stores.redis === 'up');
  await api.client.upload();
  await until('the job is in database 5', async () => (await redis.admin.info('keyspace')).includes('db5:'));
  await api.stop();
});
