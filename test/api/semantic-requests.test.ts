import { beforeAll, expect, it } from '@jest/globals';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/another-api.ts';
import type { Environment } from '../support/processes/environment.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';

type List = Record<string, string | number>;

const started = forAllTests(async () => {
  const service = await startSemanticService();
  const { EMBEDDINGS_URL: _, ...without } = service.env;
  const apis = { with: await recordedApi(service.env), without: await recordedApi(without) };
  const stop = async (): Promise<void> => {
    for (const api of Object.values(apis)) await api.stop();
    await service.stop();
  };
  return { service, apis, stop };
});

beforeAll(async () => {
  const { service, apis } = started;
  for (const name of ['zebra', 'sofa', 'harbour', 'couch with a lantern', 'violet comet over a meadow', 'window', 'garden', 'river'])
    await service.client.upload({ name, tags: ['thing'] });
  await service.embedded();
  const isRankedByMeaning = async () => (await apis.with.requestsOf({ prompt: 'zebra', sort: 'relevance' })).join().includes('_pit');
  await until('lists are ranked by meaning', isRankedByMeaning);
});

// An API remembers words for some time, so each row has its own.
it.each<[string, List]>([
  ['a word', { prompt: 'sofa', sort: 'relevance' }],
  ['a misspelt word', { prompt: 'huorbar', sort: 'relevance' }],
  ['several words', { prompt: 'couch lantern', match: 'any', sort: 'relevance', highlight: 'true', explain: 'true' }],
  ['a phrase and an exclusion', { prompt: '"violet comet" -meadow', sort: 'relevance', tags: 'thing', fields: 'summary' }],
  ['another page', { prompt: 'window', sort: 'relevance', page: 1, size: 2 }],
  ['best', { prompt: 'garden', sort: 'best' }],
  ['another sort', { prompt: 'river', sort: 'name' }],
  ['no prompt', { sort: 'relevance' }],
])('without EMBEDDINGS_URL, Elasticsearch gets the requests of semantic=false with it, byte for byte: %s', async (_, list) => {
  const { apis } = started;
  const byWords = await apis.with.requestsOf({ ...list, semantic: 'false' });
  expect(byWords.length).toBeGreaterThan(0);
  expect(await apis.without.requestsOf(list)).toEqual(byWords);
});

type RecordedApi = { requestsOf(list: List): Promise<string[]>; stop(): Promise<void> };

/** An API whose searches are recorded. */
async function recordedApi(env: Environment): Promise<RecordedApi> {
  const proxy = await ChaosProxy.before(env['ELASTICSEARCH_URL'] ?? '');
  let requests: string[] = [];
  proxy.intercept(({ method, path, body }) => {
    // A point in time is closed after the response.
    if (method !== 'DELETE' && /_m?search|_pit/.test(path)) requests.push(`${method} ${path}\n${body}`);
    return undefined;
  });
  const api = await startAnotherApi({ ...env, ELASTICSEARCH_URL: proxy.url });
  return {
    requestsOf: async (list) => {
      requests = [];
      expect((await api.client.list(list)).status).toBe(200);
      // Some are sent at the same time.
      return requests.toSorted();
    },
    stop: () => api.stop().finally(() => proxy.close()),
  };
}
