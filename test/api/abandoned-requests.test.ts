import { isDeepStrictEqual } from 'node:util';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { openRequests } from '../support/http/open-requests.ts';
import { head } from '../support/http/raw-http.ts';
import { scrape } from '../support/http/scrape.ts';
import { startService } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

/** A linear congruential generator with a fixed seed, so that failures are reproducible. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('requests whose clients disconnect', () => {
  const service = forAllTests(() => startService({ UNREAD_ANSWERS_MAX_BYTES: '20000000', CONNECTIONS_MAX: '2000' }));
  beforeAll(async () => {
    for (let n = 0; n < 20; n += 1) await service.client.upload({ name: `large ${n}`, data: 'ü'.repeat(200_000) });
    await service.indexed();
  });
  const requests = openRequests(() => service.client.baseUrl);

  const RESOURCES = [
    'upload_bytes',
    'list_bytes',
    'deep_pages',
    'index_waiters',
    'unread_response_bytes_of_one_user',
    'active_requests_of_one_user',
    'active_lists_of_one_user',
    'active_suggestions_of_one_user',
    'waiting_requests_of_one_user',
  ];
  async function usedResources(): Promise<Record<string, number>> {
    const metrics = await scrape(service.operationsUrl);
    return Object.fromEntries(RESOURCES.map((name) => [name, metrics.get(`ugc_resource_used{resource="${name}"}`) ?? NaN]));
  }
  const UNUSED = Object.fromEntries(RESOURCES.map((name) => [name, 0]));
  async function expectAllReleased(): Promise<void> {
    let used: Record<string, number> = {};
    const allReleased = async (): Promise<boolean> => isDeepStrictEqual((used = await usedResources()), UNUSED);
    // The final comparison shows which resource is not released.
    await until('all resources are released', () => allReleased().catch(() => false), 30_000).catch(() => undefined);
    expect(used).toEqual(UNUSED);
  }

  async function requestKinds(): Promise<string[]> {
    const authorization = `Authorization: Bearer ${await tokenOf(1)}`;
    const body = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: 'y'.repeat(3_000), tags: ['a'] });
    const json = (method: string, path: string, text: string, ...more: string[]): string =>
      head(method, path, [authorization, 'Content-Type: application/json', `Content-Length: ${text.length}`, ...more]) + text;
    const get = (path: string): string => head('GET', path, [authorization]);
    return [
      get('/api/content?size=20'),
      get('/api/content?prompt=large&size=20&sort=relevance'),
      get('/api/content?page=1000&size=20'),
      get('/api/content?page=-1'),
      get('/api/content/suggest?prompt=la'),
      get('/api/content/suggest?prompt=lagre'),
      get('/api/content/1'),
      get('/api/content/1/thumbnail'),
      get('/api/content/1/index-status'),
      json('POST', '/content', body),
      json('POST', '/content', body, 'Prefer: wait=10'),
      json('POST', '/content', body.replace('"x"', '7')),
      json('POST', '/content', 'x'.repeat(3_000_000)),
      json('PATCH', '/api/content/1', '{"name":"edited"}', 'Prefer: wait=5'),
      json('PUT', '/api/content/2/rating', '{"score":3}'),
      json('POST', '/api/content/3/downloads', ''),
      head('GET', '/api/content'),
    ];
  }

  it('release all bounded resources: 1,000 requests of all kinds, abandoned at random times', async () => {
    const random = randomFrom(20261122);
    const all = await requestKinds();
    const oneRequest = async (): Promise<void> => {
      const request = all[Math.floor(random() * all.length)] ?? '';
      const socket = requests.open();
      const sent = random() < 0.3 ? request.slice(0, Math.ceil(request.length * random())) : request;
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.write(sent);
      if (random() < 0.3) socket.pause();
      setTimeout(() => (random() < 0.5 ? socket.destroy() : socket.resetAndDestroy()), random() * 150);
      await closed;
    };
    const client = async (): Promise<void> => {
      for (let n = 0; n < 50; n += 1) await oneRequest();
    };
    await Promise.all(Array.from({ length: 20 }, client));
    await expectAllReleased();
  });

  it('do not count as unread responses, so that a user who abandons lists can request further ones', async () => {
    const list = head('GET', '/api/content?size=20', [`Authorization: Bearer ${await tokenOf(2)}`]);
    for (let n = 0; n < 12; n += 1) {
      const socket = requests.open();
      socket.write(list);
      await until('it is active', async () => (await usedResources())['active_lists_of_one_user'] === 1 || socket.bytesRead > 0);
      socket.destroy();
    }
    await expectAllReleased();
    expect((await service.client.get('/api/content?size=20', 2)).status).toBe(200);
  });

  it('do not cancel an upload that is being stored', async () => {
    const stored = async () => (await service.database.query(`select 1 from content where name = 'abandoned'`)).length > 0;
    // Repeated, because the statement may time out while it waits for the lock.
    await until('it is stored', async () => {
      await abandonWhileItIsStored();
      await expectAllReleased();
      return stored();
    });
  });

  async function abandonWhileItIsStored(): Promise<void> {
    const body = JSON.stringify({ creatorId: 1, name: 'abandoned', description: '', version: 1, data: '' });
    const headers = [`Authorization: Bearer ${await tokenOf(1)}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    await service.database.transaction(async (tx) => {
      await tx.query(`lock table content in exclusive mode`);
      const socket = requests.open();
      socket.write(head('POST', '/content', headers) + body);
      await until('it waits in PostgreSQL', async () => (await waitingStatements()) > 0);
      socket.destroy();
    });
  }

  async function waitingStatements(): Promise<number> {
    const rows = await service.database.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'ugc-api' and wait_event_type = 'Lock'`,
    );
    return rows.length;
  }
});

describe.each([
  ['a list', '/api/content?size=1', '/api/content?size=2'],
  ['a suggestion', '/api/content/suggest?prompt=l', '/api/content/suggest?prompt=li'],
])('%s whose client disconnects', (_, path, otherPath) => {
  let proxy: ChaosProxy;
  let api: ApiAlone;
  beforeAll(async () => {
    proxy = await ChaosProxy.before(process.env['TEST_ELASTICSEARCH_URL'] ?? '');
    api = await startApiAlone({ ELASTICSEARCH_URL: proxy.url, LIST_TIMEOUT_MS: '3000' }, withoutLookups);
    proxy.silence();
  });
  afterAll(async () => {
    await api.stop();
    await proxy.close();
  });

  it('is cancelled at Elasticsearch before its timeout', async () => {
    // Repeated once, because the other list may time out first on a slow machine.
    expect((await abandonedIsEndedFirst()) || (await abandonedIsEndedFirst())).toBe(true);
  });

  /** Requests share the lookup of the searched index, so it is not cancelled. */
  function withoutLookups(elasticsearch: Elasticsearch): Elasticsearch {
    const index = { mappings: { _meta: { version: MAPPING_VERSION } }, settings: { index: { number_of_shards: 1 } } };
    const get = async (request: { index: string[] }) => ({
      index: { ...index, aliases: Object.fromEntries(request.index.map((alias) => [alias, {}])) },
    });
    const indices = Object.create(elasticsearch.indices, { get: { value: get } });
    return Object.create(elasticsearch, { indices: { value: indices } });
  }

  async function abandonedIsEndedFirst(): Promise<boolean> {
    let otherIsAnswered = false;
    // It is sent first, so it would time out first.
    // Equal lists would be read one after the other.
    const other = api.client.get(otherPath).finally(() => (otherIsAnswered = true));
    await until('Elasticsearch has its search', () => proxy.swallowing === 1);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${await tokenOf(1)}` };
    const abandoned = fetch(`${api.client.baseUrl}${path}`, { headers, signal: leaving.signal }).catch(() => undefined);
    await until('Elasticsearch has the search to be abandoned', () => proxy.swallowing === 2 || otherIsAnswered);
    leaving.abort();
    await abandoned;
    await until('a search is cancelled', () => proxy.swallowing < 2);
    const isFirst = !otherIsAnswered;
    expect((await other).status).toBe(500);
    await until('both searches are cancelled', () => proxy.swallowing === 0);
    return isFirst;
  }
});
