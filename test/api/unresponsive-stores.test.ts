/** @store-timeout-factor 1 */
import { describe, expect, it } from '@jest/globals';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { readStatus, valueOf } from '../support/http/operations-status.ts';
import { expectProblem } from '../support/http/problems.ts';
import { scrape } from '../support/http/scrape.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import type { Environment } from '../support/processes/environment.ts';
import { silentServer } from '../support/servers/silent-server.ts';

describe('while stores do not respond', () => {
  // The tests mostly wait for time-outs, so they run side by side.
  it.concurrent.each([
    ['PostgreSQL', 'DATABASE_URL', 'postgresql://u:p@', ['indexing', 'rejected', 'unfinished', 'targets'], ['queue']],
    ['Redis', 'REDIS_URL', 'redis://', ['queue'], ['indexing', 'rejected', 'unfinished', 'targets']],
    ['Elasticsearch', 'ELASTICSEARCH_URL', 'http://', [], ['indexing', 'rejected', 'unfinished', 'targets', 'queue']],
  ] as const)('only the parts that need %s say so', async (store, variable, protocol, unread, read) => {
    await withApi(
      (silent) => ({ [variable]: `${protocol}${silent}${store === 'PostgreSQL' ? '/ugc' : ''}` }),
      async (api) => {
        let status = await readStatus(api.operationsUrl);
        const isRead = (part: (typeof read)[number]) => 'value' in status[part];
        await until('the other stores are connected', async () => {
          passTime(10_000);
          status = await readStatus(api.operationsUrl);
          return read.every(isRead);
        });
        expect(status.stores).toMatchObject({ [store === 'PostgreSQL' ? 'postgres' : store.toLowerCase()]: 'down' });
        for (const part of unread) expect([part, status[part]]).toEqual([part, { problem: expect.stringContaining(store) }]);
        expect(status.resources.length).toBeGreaterThan(10);
      },
    );
  });

  it.concurrent('a target is listed without its index while Elasticsearch does not respond', () =>
    withApi(
      (silent) => ({ ELASTICSEARCH_URL: `http://${silent}` }),
      async (api) => {
        await api.database.query(`insert into index_target (index_name, role) values ('known', 'search')`);
        let { targets } = await readStatus(api.operationsUrl);
        await until('PostgreSQL returns the targets', async () => {
          ({ targets } = await readStatus(api.operationsUrl));
          return 'value' in targets;
        });
        const [target] = valueOf(targets).list;
        expect(target).toMatchObject({
          indexName: 'known',
          index: null,
          problem: expect.stringContaining('Elasticsearch did not return it'),
        });
      },
    ),
  );

  it.concurrent('one indexer is wanted, whatever is pending, while Elasticsearch does not respond', () =>
    withApi(
      (silent) => ({ ELASTICSEARCH_URL: `http://${silent}`, PENDING_CHANGES_PER_INDEXER: '1' }),
      async (api) => {
        await insertItems(api.database, { count: 3 });
        await until('the number is published', async () => {
          passTime(10_000);
          return (await scrape(api.operationsUrl)).get('ugc_indexers_wanted') === 1;
        });
      },
    ),
  );

  it.concurrent('a scrape omits only the metrics that could not be read', () =>
    withApi(
      (silent) => ({
        DATABASE_URL: `postgresql://u:p@${silent}/ugc`,
        REDIS_URL: `redis://${silent}`,
        ELASTICSEARCH_URL: `http://${silent}`,
      }),
      async (hung) => {
        const metrics = await scrape(hung.operationsUrl);
        const absent = ['ugc_outbox_pending_changes', 'ugc_outbox_oldest_pending_seconds', 'ugc_queue_waiting_jobs', 'ugc_indexers_wanted'];
        for (const name of absent) expect(metrics.has(name)).toBe(false);
        expect(['ugc_postgres_up', 'ugc_redis_up', 'ugc_elasticsearch_up'].map((name) => metrics.get(name))).toEqual([0, 0, 0]);
        // The alert for an inactive relay uses this metric.
        expect(metrics.get('ugc_relay_last_pass_age_seconds')).toBeGreaterThan(0);
        expect(metrics.get('process_start_time_seconds')).toBeGreaterThan(0);
        expect((await fetch(`${hung.operationsUrl}/health/live`)).status).toBe(200);
      },
    ),
  );
});

describe('while Elasticsearch does not say which index is searched', () => {
  const SUGGESTIONS = '/api/content/suggest?prompt=li';

  function withLookups(lookup: Promise<unknown>): (elasticsearch: Elasticsearch) => Elasticsearch {
    return (elasticsearch) => {
      const indices = Object.create(elasticsearch.indices, { get: { value: () => lookup } });
      return Object.create(elasticsearch, { indices: { value: indices } });
    };
  }

  it.concurrent('suggestions neither use the slots of lists nor wait for them, and both are 500', async () => {
    const lookup = Promise.withResolvers<never>();
    const api = await startApiAlone({}, withLookups(lookup.promise));
    const used = async (): Promise<(number | undefined)[]> => {
      const metrics = await scrape(api.operationsUrl);
      return ['active_suggestions', 'active_lists', 'waiting_requests'].map((name) =>
        metrics.get(`ugc_resource_used{resource="${name}_of_one_user"}`),
      );
    };
    const sent = Array.from({ length: 5 }, () => [api.client.get(SUGGESTIONS), api.client.list()]).flat();
    await until('all slots of both are used', async () => String(await used()) === '2,3,5');
    lookup.reject(new Error('no response'));
    for (const response of await Promise.all(sent)) expectProblem(response, 500);
    expect(await used()).toEqual([0, 0, 0]);
    await api.stop();
  });

  it.concurrent('suggestions and lists are 500 at their deadline', async () => {
    const api = await startApiAlone({ LIST_TIMEOUT_MS: '500' }, withLookups(new Promise(() => undefined)));
    for (const response of await Promise.all([api.client.get(SUGGESTIONS), api.client.list()])) expectProblem(response, 500);
    await api.stop();
  });
});

it.concurrent('with a higher LIST_TIMEOUT_MS, a list waits for an Elasticsearch that takes longer than a list by default', async () => {
  const proxy = await ChaosProxy.before(process.env['TEST_ELASTICSEARCH_URL'] ?? '');
  const api = await startApiAlone({ ELASTICSEARCH_URL: proxy.url, LIST_TIMEOUT_MS: '60000' });
  const alias = api.env['CONTENT_ALIAS'] ?? '';
  await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
  // The lookup of the index and the search take 4 s.
  proxy.delay(1_000);
  expect((await api.client.list()).status).toBe(200);
  await proxy.close();
  await api.stop();
});

it.concurrent('a list succeeds although the network has silently forgotten all connections to Elasticsearch', async () => {
  const proxy = await ChaosProxy.before(process.env['TEST_ELASTICSEARCH_URL'] ?? '');
  const api = await startApiAlone({ ELASTICSEARCH_URL: proxy.url });
  const alias = api.env['CONTENT_ALIAS'] ?? '';
  await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
  const lists = () => Promise.all([1, 2, 3].map(() => api.client.list()));
  for (const response of await lists()) expect(response.status).toBe(200);
  proxy.forget();
  for (const response of await lists()) expect(response.status).toBe(200);
  await proxy.close();
  await api.stop();
});

/** @param env is given the address of a server that never responds */
async function withApi(env: (silent: string) => Environment, test: (api: ApiAlone) => Promise<void>): Promise<void> {
  const silent = await silentServer();
  const api = await startApiAlone(env(silent.address));
  await test(api).finally(async () => {
    // Its end also ends the requests that the API waits for.
    await silent.stop();
    await api.stop();
  });
}
