import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openIndexQueue, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import { REDIS_COMMANDS } from '@ugc/shared/redis/check';
import { Redis } from 'ioredis';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { readStatus } from '../support/http/operations-status.ts';
import { scrape } from '../support/http/scrape.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { long, rows } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { indexCommand } from '../support/processes/command.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { createRedisUser, startOwnRedis, type OwnRedis } from '../support/servers/redis.ts';

describe('a Redis that takes no jobs', () => {
  const redis = forAllTests(() => startOwnRedis({ 'enable-debug-command': 'local' }));

  /** What it refuses with, and how it begins and ends. */
  type Fault = [string, RegExp, (redis: OwnRedis) => Promise<unknown>, (redis: OwnRedis) => Promise<unknown>];

  const set = (name: string, value: string) => (redis: OwnRedis) => redis.admin.call('CONFIG', 'SET', name, value);

  /** Its dump cannot be renamed to the name of a folder. */
  const dumpFolder = async ({ admin }: OwnRedis) => join((await admin.config('GET', 'dir'))[1] ?? '', 'dump.rdb');
  const saveInto = async (redis: OwnRedis) => {
    await set('save', '3600 1000000')(redis);
    await redis.admin.call('BGSAVE');
    return until('it has tried', async () => (await redis.admin.info('persistence')).includes('rdb_bgsave_in_progress:0'));
  };

  /** It loads its keys again, one every 50 ms, and responds meanwhile after every kilobyte. */
  const load = async ({ admin }: OwnRedis) => {
    await admin.call('DEBUG', 'POPULATE', '2000', 'loaded', '1024');
    await admin.call('CONFIG', 'SET', 'key-load-delay', '50000', 'loading-process-events-interval-bytes', '1024');
    const other = admin.duplicate();
    other.on('error', () => undefined);
    void other.call('DEBUG', 'RELOAD').catch(() => undefined).finally(() => other.disconnect()); // prettier-ignore
  };

  it.each<Fault>([
    ['because its memory is full', /OOM .* Its memory is full: raise/, set('maxmemory', '1'), set('maxmemory', '0')],
    [
      'because it is a replica',
      /READONLY .* It is a replica: set REDIS_URL/,
      ({ admin }) => admin.call('REPLICAOF', '127.0.0.1', '1'),
      ({ admin }) => admin.call('REPLICAOF', 'NO', 'ONE'),
    ],
    [
      'because it lacks replicas',
      /NOREPLICAS .* It lacks replicas: start/,
      set('min-replicas-to-write', '1'),
      set('min-replicas-to-write', '0'),
    ],
    [
      'because it cannot write to its disk',
      /MISCONF .* It cannot write to its disk: free space/,
      async (own) => {
        await mkdir(await dumpFolder(own));
        return saveInto(own);
      },
      async (own) => {
        await rmdir(await dumpFolder(own));
        return saveInto(own);
      },
    ],
    ['because it loads its data', /LOADING .* It loads its data: wait/, load, set('key-load-delay', '0')],
  ])('%s, is named with what to do, and uploads are stored', async (_, problem, begin, end) => {
    const api = await startApiAlone({ REDIS_URL: redis.url });
    const state = async () => (await api.client.get('/health/ready')).body.stores.redis as string;
    await until('it is up', async () => (await state()) === 'up');
    await begin(redis);
    await until('it refuses jobs', async () => (await state()) === 'refuses');
    await until('the page says so', async () => problem.test((await readStatus(api.operationsUrl)).redisProblems.join(' ')));
    expect((await indexCommand(api.env, 'index-status', '--json')).json[0]).toMatchObject({ queueProblem: expect.stringMatching(problem) });
    expect((await api.client.tryUpload({ name: 'kept' })).status).toBe(201);
    await end(redis);
    await until('it is up again', async () => (await state()) === 'up');
    await api.stop();
  });
});

describe('a user who is restricted', () => {
  /** So that the rate limiter uses Redis too. */
  const COUNTED = { RATE_LIMIT_LISTS_PER_MINUTE: '100000', RATE_LIMIT_WRITES_PER_MINUTE: '100000' };

  const redis = forAllTests(() => startOwnRedis());

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

  it('a password that is rotated in its file is that of the next connections, without a restart', async () => {
    await createRedisUser(redis, 'rotated', '~* +@all');
    const file = join(await mkdtemp(join(tmpdir(), 'rotated-')), 'url');
    const url = redis.urlOf('rotated');
    await writeFile(file, url);
    const processEnv = async () => ({ REDIS_URL: '', REDIS_URL_FILE: file });
    const cluster = await startCluster({ processEnv }, { REDIS_URL: url, QUEUE_PREFIX: 'rotated', ...COUNTED });
    await expectIndexed(cluster, 'before');
    await redis.admin.acl('SETUSER', 'rotated', 'resetpass', '>second');
    await writeFile(file, url.replace('secret', 'second'));
    await redis.admin.call('CLIENT', 'KILL', 'USER', 'rotated');
    await until('it is ready', async () => (await cluster.client.get('/health/ready')).body.stores.redis === 'up');
    await expectIndexed(cluster, 'afterwards');
    expect(await redis.admin.call('CLIENT', 'LIST')).toContain('user=rotated');
    await cluster.stop();
  });

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
      const advice = database === '99' ? 'Correct the database at the end of REDIS_URL' : 'run ACL SETUSER zero +select';
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
});

describe('a Redis of a cluster', () => {
  const LAST_SLOT = 16_383;

  const redis = forAllTests(() => startOwnRedis({ 'cluster-enabled': 'yes' }));
  beforeAll(async () => {
    await redis.admin.cluster('ADDSLOTSRANGE', 0, LAST_SLOT);
    await serves(redis, 'ok');
  });

  function serves({ admin }: OwnRedis, state: string): Promise<void> {
    return until(`the state of the cluster is ${state}`, async () =>
      String(await admin.cluster('INFO')).includes(`cluster_state:${state}`),
    );
  }

  /** @returns what the API says about this Redis in its log, readiness, metric, operators' status and index:status */
  async function problemsSaid(url: string, queuePrefix: string): Promise<string[]> {
    const api = await startApiAlone({ REDIS_URL: url, QUEUE_PREFIX: queuePrefix, LOG_LEVEL: 'info' });
    await until('it is logged', () => api.logged.some((line) => line.includes('Redis refuses what the service needs')));
    await until('readiness says it', async () => (await api.client.get('/health/ready')).body.stores.redis === 'refuses');
    expect((await api.client.get('/health/ready')).body.status).toBe('degraded');
    expect((await scrape(api.operationsUrl)).get('ugc_redis_up')).toBe(0);
    expect((await api.client.tryUpload()).status).toBe(201);
    const status = await readStatus(api.operationsUrl);
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
        const { queue } = await readStatus(operationsUrl);
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
    expect(await problemsSaid(other.url, '{ugc}')).toEqual([
      expect.stringContaining(`${host}:${port}. It is a node of a cluster: set REDIS_URL to the named one`),
    ]);
    await other.stop();
  });

  long.it('if the cluster lacks slots, everything that tells the state says so', async () => {
    const broken = await startOwnRedis({ 'cluster-enabled': 'yes' });
    expect(await problemsSaid(broken.url, '{ugc}')).toEqual([expect.stringContaining('CLUSTERDOWN')]);
    await broken.stop();
  });
});

describe('a queue that is paused', () => {
  let service: Service;
  let redis: Redis;
  /** Opens it as a dashboard does. */
  let queue: IndexQueue;
  beforeAll(async () => {
    service = await startService();
    redis = new Redis(service.env['REDIS_URL'] ?? '');
    queue = openIndexQueue(redis, service.env['QUEUE_PREFIX'] ?? '', () => undefined);
  });
  afterAll(async () => {
    redis.disconnect();
    await service.stop();
  });

  async function isPausedInStatus(): Promise<boolean> {
    const status = await readStatus(service.operationsUrl);
    return 'value' in status.queue && status.queue.value.paused;
  }

  it('a queue that somebody pauses in BullMQ is shown as paused, loses no jobs, and is resumed by index:resume', async () => {
    expect((await scrape(service.operationsUrl)).get('ugc_queue_paused')).toBe(0);
    await queue.pause();
    await service.client.upload({ name: 'while paused' });
    await until('the status of operators shows it', isPausedInStatus);
    expect((await scrape(service.operationsUrl)).get('ugc_queue_paused')).toBe(1);
    expect((await indexCommand(service.env, 'index-status')).stdout).toMatch(
      /the queue is paused by BullMQ: npx pnpm index:resume resumes it/,
    );
    await until('a job waits', async () => {
      const [status] = (await indexCommand(service.env, 'index-status', '--json')).json;
      return (status as { queue: { waiting: number } }).queue.waiting > 0;
    });
    expect((await indexCommand(service.env, 'index-status', '--json')).json).toMatchObject([
      { queue: { paused: true }, pausedSince: null },
    ]);
    expect(await indexCommand(service.env, 'index-pause', 'resume')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is resumed as well'),
    });
    await service.indexed();
    expect(await service.client.search('"while paused"')).toEqual(['while paused']);
    expect((await scrape(service.operationsUrl)).get('ugc_relay_lost_jobs_total')).toBe(0);
    await until('the status of operators shows the end', async () => !(await isPausedInStatus()));
  });
});
