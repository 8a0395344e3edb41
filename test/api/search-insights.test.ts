import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { TYPING_MS } from '@ugc/api/search/insights/prompt-counts';
import { SearchInsights } from '@ugc/api/search/insights/search-insights';
import { connectStores, startApi } from '@ugc/api/start-api';
import { purge } from '@ugc/indexer/purge/purge';
import type { OperationsStatus, SearchInsight } from '@ugc/shared/contracts/operations-status';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { runSteps } from '@ugc/shared/process/lifecycle';
import type { Database, Query, Tx } from '@ugc/shared/postgres/postgres';
import { textOf } from '@ugc/shared/postgres/statements';
import { Redis } from 'ioredis';
import { Counter, Registry } from 'prom-client';
import { Client } from '../support/http/client.ts';
import { scrape } from '../support/http/scrape.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import { apiCommand, failureOf } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { startHalfService, untilIndexed } from '../support/processes/service.ts';

const startHalf = async (env: Environment) => {
  const service = await startHalfService(await createEnvironment(env));
  await until('lists return 200', async () => (await service.client.list()).status === 200);
  return service;
};

const NORMAL = { page: 0, size: 10, prompt: '' };

describe('with SEARCH_INSIGHTS=true', () => {
  const service = forAllTests(() => startHalf({ SEARCH_INSIGHTS: 'true' }));
  let redis: Redis;
  beforeAll(async () => {
    await service.client.upload({ name: 'Lighthouse at dusk' });
    await untilIndexed(service, service.env);
  });
  beforeEach(() => void (redis = new Redis(service.env['REDIS_URL'] ?? '')));
  afterEach(async () => {
    redis.disconnect();
    await service.database.query('delete from search_insight');
    await service.database.query('delete from search_insight_user');
  });

  const search = async (prompt: string, userId: number, { client, ...more }: { client?: Client; [name: string]: unknown } = {}) => {
    const query = new URLSearchParams({ prompt, ...(more as Record<string, string>) });
    const response = await (client ?? service.client).get(`/api/content?${query.toString()}`, userId);
    expect(response.status).toBe(200);
    return response;
  };
  /** Runs searches in an API of their own, whose end stores all of them. */
  const searchAndStore = async (run: (client: Client) => Promise<unknown>): Promise<void> => {
    const api = await startAnotherApi(service.env);
    await run(api.client).finally(() => api.stop());
  };
  const result = async (name: string): Promise<number> =>
    (await scrape(service.operationsUrl)).get(`ugc_search_insights_total{result="${name}"}`) ?? 0;
  const stored = () =>
    service.database.query<{ prompt: string | null; users: number; nothingFound: number; corrected: number; correction: string | null }>(
      `select prompt, users, nothing_found, corrected, correction from search_insight order by prompt, users`,
    );
  /** Everything that a dump has of the searches. */
  const dump = async (): Promise<string> =>
    JSON.stringify(
      await service.database.query(
        `select to_jsonb(i) as row from search_insight i union all select to_jsonb(u) from search_insight_user u order by 1`,
      ),
    );
  const key = async (): Promise<string | null> => {
    const [name = ''] = await redis.keys(`${service.env['QUEUE_PREFIX']}:search-insights:*`);
    return redis.get(name);
  };

  it('a prompt of four users is stored as a hash only, and as text when a fifth user sends it, also to another process', async () => {
    await searchAndStore(async (client) => {
      for (const user of [1, 2, 3]) await search('Quokka  TOWER ', user, { client });
    });
    await searchAndStore((client) => search('quokka tower', 4, { client }));
    expect(await stored()).toEqual([{ prompt: null, users: 4, nothingFound: 4, corrected: 0, correction: null }]);
    expect(await dump()).not.toMatch(/quokka|tower/i);
    await searchAndStore(async (client) => {
      await search('quokka tower', 4, { client });
      await search('Quokka Tower', 5, { client });
    });
    expect(await stored()).toEqual([{ prompt: 'quokka tower', users: 5, nothingFound: 6, corrected: 0, correction: null }]);
  });

  it('the prompts of two processes that store at the same time are counted exactly', async () => {
    const apis = await Promise.all([startAnotherApi(service.env), startAnotherApi(service.env)]);
    const users = Array.from({ length: 10 }, (_, n) => n + 1);
    for (const { client } of apis)
      for (const user of users) for (const prompt of ['wombat', 'quokka', 'numbat']) await search(prompt, user, { client });
    await Promise.all(apis.map((api) => api.stop()));
    const counted = { users: 10, nothingFound: 20, corrected: 0, correction: null };
    expect(await stored()).toEqual(['numbat', 'quokka', 'wombat'].map((prompt) => ({ prompt, ...counted })));
  });

  it('a dump of the database contains neither the key of the hashes, nor which prompts are of the same user', async () => {
    await searchAndStore(async (client) => {
      for (const prompt of ['quokka', 'wombat', 'numbat']) await search(prompt, 1, { client });
    });
    const hashes = await service.database.query<{ userHash: string }>(
      `select encode(user_hash, 'hex') as user_hash from search_insight_user`,
    );
    expect(new Set(hashes.map(({ userHash }) => userHash)).size).toBe(3);
    const inRedis = await key();
    expect(Buffer.from(inRedis ?? '', 'base64')).toHaveLength(32);
    const tables = await service.database.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const found = await service.database.query(`select from ${name} t where t::text like '%' || $1 || '%'`, [inRedis]);
      expect([name, found.length]).toEqual([name, 0]);
    }
  });

  it('the key ends with the day, and without it the same search has other hashes', async () => {
    const searchOnce = () => searchAndStore((client) => search('quokka', 1, { client }));
    await searchOnce();
    const [name = ''] = await redis.keys(`${service.env['QUEUE_PREFIX']}:search-insights:*`);
    const secondsLeft = 86_400 - (Math.floor(Date.now() / 1_000) % 86_400);
    expect(await redis.ttl(name)).toBeLessThanOrEqual(secondsLeft + 700);
    await searchOnce();
    expect(await stored()).toMatchObject([{ users: 1, nothingFound: 2 }]);
    await redis.del(name);
    await searchOnce();
    expect(await stored()).toMatchObject([{ users: 1 }, { users: 1 }]);
  });

  it('first pages with a prompt count, and no later ones, filtered ones, counts of other searches, or lists without a prompt', async () => {
    await searchAndStore(async (client) => {
      for (const user of [1, 2, 3, 4, 5]) {
        await search('quokka', user, { client });
        await search('wombat', user, { client, page: '1' });
        await search('numbat', user, { client, tags: 'none' });
        await search('bilby', user, { client, size: '1' });
        await search(' \u3000', user, { client, tags: 'none' });
        await search('\u0600', user, { client });
        await search('lighthouse', user, { client });
      }
    });
    expect((await stored()).map(({ prompt }) => prompt)).toEqual(['quokka']);
  });

  it('a prompt that was corrected is stored with what was searched for instead', async () => {
    await searchAndStore(async (client) => {
      for (const user of [1, 2, 3, 4, 5]) await search('Lighthuose dusk', user, { client });
    });
    expect(await stored()).toEqual([{ prompt: 'lighthuose dusk', users: 5, nothingFound: 0, corrected: 5, correction: 'lighthouse' }]);
  });

  it('searches are stored within seconds, and lists neither wait nor fail while they cannot be stored; no log has a prompt', async () => {
    const before = [await result('counted'), await result('failed')];
    await search('zanzibar', 1);
    passTime(TYPING_MS);
    await until('a search is counted', async () => (await result('counted')) > (before[0] ?? 0));
    await service.database.transaction(async (tx) => {
      await tx.query('lock table search_insight, search_insight_user in exclusive mode');
      await search('zanzibar', 2);
      passTime(TYPING_MS);
      await until('a batch waits, and fails', async () => {
        await search('zanzibar', 2);
        // As its time limit does.
        await service.database.query(
          `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '/* search insights%'`,
        );
        return (await result('failed')) > (before[1] ?? 0);
      });
    });
    await search('zanzibar', 3);
    passTime(TYPING_MS);
    await until('the next one is stored', async () => (await stored()).some(({ users }) => users >= 2));
    expect(service.logged.join('')).toContain('searches could not be counted');
    expect(service.logged.join('')).not.toMatch(/zanzibar|quokka|lighthuose/i);
  });

  it('prompts beyond the limits of a user are counted by a metric', async () => {
    const omitted = await result('omitted');
    await search(`${'zanzibar '.repeat(15)}`, 1);
    expect(await result('omitted')).toBe(omitted + 1);
  });

  it('hashes are purged after their day, prompts after 30 days, and prompts of today stay', async () => {
    const today = `(now() at time zone 'UTC')::date`;
    for (const [prompt, users, age] of [
      ['kept', 5, 29],
      ['old', 5, 30],
      [null, 4, 1],
      [null, 3, 0],
    ])
      await service.database.query(
        `insert into search_insight (day, prompt_hash, users, last_at, prompt) values (${today} - $3::int, substr(sha256($1), 1, 16), $2, now(), $4)`,
        [Buffer.from(`${prompt} ${users}`), users, age, prompt],
      );
    await service.database.query(
      `insert into search_insight_user select ${today} - n % 2, substr(sha256(n::text::bytea), 1, 16), substr(sha256('a'), 1, 16)
       from generate_series(1, 11000) n`,
    );
    await purge(indexDeps(service));
    expect((await stored()).map(({ prompt, users }) => [prompt, users])).toEqual([
      ['kept', 5],
      [null, 3],
    ]);
    const users = await service.database.query(`select day = ${today} as today, count(*) from search_insight_user group by 1`);
    expect(users).toEqual([{ today: true, count: 5_500 }]);
  });

  it('PostgreSQL refuses a text that fewer than five users have sent', async () => {
    const insert = `insert into search_insight (day, prompt_hash, users, last_at, prompt) values (now(), substr(sha256('a'), 1, 16), 4, now(), 'quokka')`;
    await expect(service.database.query(insert)).rejects.toThrow('violates check constraint');
  });

  describe('prompts of several days', () => {
    const INSIGHTS: SearchInsight[] = [
      { prompt: 'lighthuose', searches: 21, nothingFound: 1, correction: 'lighthouse', users: 9, lastAt: expect.any(String) as never },
      { prompt: '東京 タワー', searches: 6, nothingFound: 6, correction: null, users: 6, lastAt: expect.any(String) as never },
    ];
    beforeEach(() =>
      service.database.query(
        `insert into search_insight (day, prompt_hash, users, nothing_found, corrected, last_at, prompt, correction)
         select (now() at time zone 'UTC')::date - days, substr(sha256((days || coalesce(prompt, ''))::bytea), 1, 16), users, nothing, corrected,
           date_trunc('hour', now()) - days * interval '1 day', prompt, correction
         from (values (0, 6, 6, 0, '東京 タワー', null), (0, 5, 1, 6, 'lighthuose', null), (1, 9, 0, 14, 'lighthuose', 'lighthouse'),
           (31, 90, 90, 0, 'lighthuose', null), (0, 4, 9, 0, null, null)) as t (days, users, nothing, corrected, prompt, correction)`,
      ),
    );

    it("are added up in the operators' status, those of the most users first", async () => {
      let insights: OperationsStatus['searchInsights'];
      await until('the status has them', async () => {
        ({ searchInsights: insights } = (await (await fetch(`${service.operationsUrl}/status`)).json()) as OperationsStatus);
        return insights !== undefined && 'value' in insights && insights.value.length === 2;
      });
      expect(insights).toEqual({ value: INSIGHTS });
    });

    it('are listed by a command, as a table and as JSON', async () => {
      const table = await apiCommand(service.env, 'search-insights');
      expect(failureOf(table)).toBe('');
      expect(table.stdout.split('\n').map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:00/, 'TIME').replace(/ {2,}/g, ' | '))).toEqual([
        'prompt | searches | users | last | result',
        'lighthuose | 21 | 9 | TIME | nothing found 1 of 21 times; corrected to lighthouse',
        '東京 タワー | 6 | 6 | TIME | nothing found',
        '',
      ]);
      expect((await apiCommand(service.env, 'search-insights', '--json', '--limit', '1')).json).toEqual(INSIGHTS.slice(0, 1));
    });
  });

  it('the command says what to do if there is no prompt, and refuses a wrong limit', async () => {
    const empty = await apiCommand(service.env, 'search-insights');
    expect(empty).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('SEARCH_INSIGHTS=true') });
    for (const limit of ['0', '10001'])
      expect(await apiCommand(service.env, 'search-insights', '--limit', limit)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--limit must be an integer from 1 to 10000'),
      });
  });
});

it('without Redis nothing is sent to PostgreSQL, and the searches are counted as failed', async () => {
  const registry = new Registry();
  const searchInsights = new Counter({ name: 'x_total', help: 'x', labelNames: ['result'], registers: [registry] });
  const log = createLog('test', 'silent');
  const redis = { set: () => Promise.reject(new Error('Redis is down')) } as never;
  const insights = new SearchInsights({ database: {} as Database, redis, queuePrefix: 'x', log, metrics: { searchInsights } });
  insights.record({ ...NORMAL, prompt: 'quokka' } as never, { user: 1, begunAtMs: 0, isEmpty: true, correction: undefined });
  await insights.stop();
  expect(await registry.metrics()).toContain('x_total{result="failed"} 1');
});

describe('with SEARCH_INSIGHTS=false', () => {
  const service = forAllTests(() => startHalf({}));

  it('lists, the status and the end of the API send no statement about searches', async () => {
    const log = createLog('test', 'silent');
    const apiEnv = parseEnv(ApiEnv, service.env);
    const { database, ...stores } = connectStores(apiEnv, log);
    const statements: string[] = [];
    const spy =
      (query: Query): Query =>
      (statement, values) => {
        statements.push(textOf(statement));
        return query(statement, values);
      };
    const transaction: Database['transaction'] = (work) => database.transaction((tx) => work({ query: spy(tx.query) } as Tx));
    const spied = { ...database, query: spy(database.query), write: spy(database.write), transaction };
    const api = await startApi(apiEnv, log, { ...stores, database: spied });
    const client = new Client(`http://127.0.0.1:${api.port}`);
    for (const user of [1, 2, 3, 4, 5]) expect((await client.get('/api/content?prompt=quokka', user)).status).toBe(200);
    const status = (await (await fetch(`http://127.0.0.1:${api.operationsPort}/status`)).json()) as OperationsStatus;
    expect(status).not.toHaveProperty('searchInsights');
    await runSteps(log, api.shutdown);
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.filter((statement) => statement.includes('insight'))).toEqual([]);
  });
});
