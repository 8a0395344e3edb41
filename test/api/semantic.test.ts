import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import fc from 'fast-check';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import type { Environment } from '../support/processes/environment.ts';
import { startSemanticService } from '../support/processes/semantic-service.ts';
import { startService } from '../support/processes/service.ts';
import { type Behaviour, vectorOf } from '../support/servers/embedding-server.ts';

const BY_RELEVANCE = { sort: 'relevance' };
const BY_BEST = { sort: 'best' };
const WORDS = ['lantern', 'harbour', 'violet', 'comet', 'meadow', 'sofa', 'couch', 'car', 'automobile', 'kitten', 'cat'];
/** Their qualities differ. */
const THINGS = Array.from({ length: 130 }, (_, n) => ({
  name: `thing ${WORDS.filter((_word, at) => (n * 7 + at * 5) % 4 === 0).join(' ')}`,
  description: `${n % 9} of ${WORDS[n % WORDS.length]}`,
  tags: ['thing'],
  ratings: new Array<number>(n % 20).fill(1 + (n % 5)),
  downloads: 10 ** (n % 4),
}));
/** Their words match a prompt equally well. `cosine`: with the prompt. The most similar one is bad, others are good. */
const CABINETS = Array.from({ length: 60 }, (_, n) => `number${n}`)
  .map((description) => ({ description, cosine: cosineOf('query: cabinet', `my cabinet\n${description}`) }))
  .toSorted((one, other) => other.cosine - one.cosine)
  .map(({ description }, rank) => ({
    name: 'my cabinet',
    description,
    ratings: new Array<number>(100).fill(rank === 0 ? 1 : 5),
    downloads: rank === 0 ? 0 : 1_000_000,
  }));

function cosineOf(one: string, other: string): number {
  const model = { model: 'all-minilm-l6-v2' };
  const [a, b] = [vectorOf(one, model), vectorOf(other, model)];
  return a.reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));
}

describe('with an embedding service', () => {
  const service = forAllTests(() => startSemanticService({ EMBEDDINGS_API_KEY: 'key-of-the-service', EMBEDDINGS_QUERY_PREFIX: 'query:' }));

  beforeAll(async () => {
    // Only the meaning tells which of the two stands belongs to a sofa.
    await service.client.upload({ name: 'stand', description: 'for the automobile and nothing else' });
    await service.client.upload({ name: 'stand', description: 'for the settee and nothing else' });
    await service.client.upload({ name: 'sofa stand car', description: 'all of it' });
    await storeContent(service.database, [...THINGS, ...CABINETS]);
    await service.embedded();
    await until('lists are ranked by meaning', async () => (await rankingOf({ prompt: 'thing', ...BY_RELEVANCE })) === 'semantic');
  });

  const rankingOf = async (parameters: Record<string, string | number>): Promise<string | null> =>
    (await service.client.list(parameters)).headers.get('search-ranking');
  const idsOf = async (parameters: Record<string, string | number>): Promise<number[]> =>
    (await service.client.list(parameters)).body.content.map(({ contentId }) => contentId);

  it.each([BY_RELEVANCE, BY_BEST])('ranks an item by what it means, where the words tell nothing: %o', async (sorted) => {
    const list = { prompt: 'couch stand', match: 'any', size: 100, ...sorted };
    const [byMeaning, byWords] = [await service.client.list(list), await service.client.list({ ...list, semantic: 'false' })];
    expect([byMeaning, byWords].map(({ headers }) => headers.get('search-ranking'))).toEqual(['semantic', 'lexical']);
    expect(byMeaning.body.totalElements).toBe(byWords.body.totalElements);
    const descriptions = byMeaning.body.content.map(({ description }) => description);
    expect(descriptions.findIndex((one) => one.includes('settee'))).toBeLessThan(
      descriptions.findIndex((one) => one.startsWith('for the automobile')),
    );
  });

  it('embeds the corrected prompt after the prefix, without what it excludes, and sends the key', async () => {
    const before = service.embeddings.requests.length;
    await service.client.list({ prompt: '"Harbour" lantren -comet', ...BY_RELEVANCE });
    const texts = service.embeddings.requests.slice(before).flatMap(({ input }) => input);
    expect(texts.at(-1)).toBe('query: Harbour lantern');
    expect(new Set(service.embeddings.authorizations)).toEqual(new Set(['Bearer key-of-the-service']));
  });

  it('embeds name, tags and description of an item', () => {
    expect(service.embeddings.texts).toContain('sofa stand car\nall of it');
    expect(service.embeddings.texts.some((text) => /^thing .*\nthing\n\d of /.test(text))).toBe(true);
  });

  it('keeps the item whose name is the prompt first', async () => {
    const [first] = await service.client.search('stand', BY_RELEVANCE);
    expect(first).toBe('stand');
    expect(await service.client.search('"sofa stand car"', BY_RELEVANCE)).toEqual(['sofa stand car']);
  });

  it.each([
    ['another sort', { prompt: 'thing', sort: 'name' }, null],
    ['no prompt', BY_RELEVANCE, null],
    ['the ascending order', { prompt: 'thing', sort: 'relevance,asc' }, null],
    ['best', { prompt: 'thing', ...BY_BEST }, 'semantic'],
    ['best in ascending order', { prompt: 'thing', sort: 'best,asc' }, null],
    ['best without a prompt', BY_BEST, null],
    ['semantic=false', { prompt: 'thing', semantic: 'false', ...BY_RELEVANCE }, 'lexical'],
    ['only exclusions', { prompt: '-sofa', ...BY_RELEVANCE }, 'lexical'],
    ['a page after the first 100 matches', { prompt: 'thing', page: 10, ...BY_RELEVANCE }, 'lexical'],
    ['no match', { prompt: 'qqqqqqqq', ...BY_RELEVANCE }, 'lexical'],
    ['a page beyond the end', { prompt: 'stand', page: 9, ...BY_RELEVANCE }, 'semantic'],
  ])('says how it ranked: %s', async (_, parameters, ranking) => expect(await rankingOf(parameters)).toBe(ranking));

  it('sorts by best with the relevance by words and meaning, multiplied by the quality', async () => {
    const first = async (sorted: object) =>
      (await service.client.list({ prompt: 'cabinet', size: 1, ...sorted })).body.content[0]?.description;
    const [mostSimilar, good] = CABINETS;
    expect(await first(BY_RELEVANCE)).toBe(mostSimilar?.description);
    expect(await first(BY_BEST)).toBe(good?.description);
    // Even the least similar of the good ones passes: its factor is 16/9 times as high.
    const { body } = await service.client.list({ prompt: 'cabinet', size: 60, ...BY_BEST });
    expect(body.content.at(-1)?.description).toBe(mostSimilar?.description);
  });

  it.each([BY_RELEVANCE, BY_BEST])('says what counts for the place of each item, in the same order as without: %o', async (sorted) => {
    const list = { prompt: 'sofa stand car', size: 20, ...sorted };
    const order = await idsOf(list);
    const { content, interpretation } = (await service.client.list({ ...list, explain: 'true' })).body;
    expect(interpretation?.ranking).toBe('semantic');
    expect(content.map(({ contentId }) => contentId)).toEqual(order);
    const byWords = (await service.client.list({ ...list, size: 200, explain: 'true', semantic: 'false' })).body.content;
    const reasons = new Map(byWords.map((item) => [item.contentId, item.reasons]));
    expect(content[0]?.reasons).toEqual(expect.arrayContaining(['name', 'allWords', 'wordsInName']));
    for (const { contentId, reasons: own } of content) expect(own).toEqual(reasons.get(contentId));
  });

  it('explains the ranking', async () => {
    const ranking = async (semantic: string) => (await service.client.list({ prompt: 'thing', explain: 'true', semantic, ...BY_RELEVANCE })).body.interpretation?.ranking; // prettier-ignore
    expect(await ranking('true')).toBe('semantic');
    expect(await ranking('false')).toBe('lexical');
  });

  it('tells operators how many items have a vector', async () => {
    const { embeddings } = (await (await fetch(`${service.operationsUrl}/status`)).json()) as OperationsStatus;
    const value = { model: 'all-minilm-l6-v2', filling: false, searchedModel: 'all-minilm-l6-v2', refused: 0 };
    expect(embeddings).toMatchObject({ value });
  });

  it('all pages together have the items of the list by words, of whatever size, once each', async () => {
    const prompts = fc.shuffledSubarray([...WORDS, 'thing'], { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    const [matches, sorts] = [fc.constantFrom('any', 'most'), fc.constantFrom(BY_RELEVANCE, BY_BEST)];
    await fc.assert(
      fc.asyncProperty(prompts, fc.integer({ min: 7, max: 120 }), matches, sorts, async (prompt, size, match, sorted) => {
        const list = { prompt, match, ...sorted };
        const byWords = await idsOf({ ...list, size: 200, semantic: 'false' });
        const pages: number[] = [];
        for (let page = 0; page * size < byWords.length; page += 1) pages.push(...(await idsOf({ ...list, size, page })));
        expect(pages.toSorted()).toEqual(byWords.toSorted());
        expect(pages.slice(100)).toEqual(byWords.slice(100));
        expect((await service.client.list({ ...list, size })).body.totalElements).toBe(byWords.length);
      }),
      { numRuns: runs(12, 100) },
    );
  });

  it('highlights, summaries and filters work as in a list by words', async () => {
    const parameters = { prompt: 'lantern', highlight: 'true', fields: 'summary', tags: 'thing', ...BY_RELEVANCE };
    const [one, other] = [await service.client.list(parameters), await service.client.list({ ...parameters, semantic: 'false' })];
    expect(one.body.totalElements).toBe(other.body.totalElements);
    expect(one.body.content[0]).toMatchObject({ highlights: { name: [expect.stringContaining('<mark>')] } });
    expect(one.body.content[0]).not.toHaveProperty('data');
  });

  it('an edit of the texts makes a new vector, other changes do not, and a deletion removes it', async () => {
    const contentId = await service.client.upload({ name: 'one of a kind', description: 'quasar' });
    await service.embedded();
    const path = `/api/content/${contentId}`;
    const madeOf = (): number => service.embeddings.texts.filter((text) => text.startsWith('one of a kind')).length;
    const made = madeOf();
    expect((await service.client.send('PATCH', path, { version: 2, data: 'other' })).status).toBe(200);
    expect((await service.client.send('PUT', `${path}/rating`, { score: 5 }, 2)).status).toBeLessThan(300);
    await service.embedded();
    expect(madeOf()).toBe(made);
    expect((await service.client.send('PATCH', path, { tags: ['pulsar'] })).status).toBe(200);
    await until('the edited text is embedded', () => service.embeddings.texts.includes('one of a kind\npulsar\nquasar'));
    await service.embedded();
    expect((await service.client.send('DELETE', path)).status).toBe(204);
    const left = `select content_id from embedding where content_id = $1 union all select content_id from embedding_work where content_id = $1`;
    expect(await service.database.query(left, [contentId])).toEqual([]);
  });
});

describe('without an embedding service', () => {
  const service = forAllTests(() => startService());

  it('ranks by words, and stores no work', async () => {
    await service.client.upload({ name: 'Lighthouse' });
    await service.indexed();
    expect((await service.client.list({ prompt: 'lighthouse', ...BY_RELEVANCE })).headers.get('search-ranking')).toBe('lexical');
    expect(await service.database.query('select from embedding_work')).toEqual([]);
    expect(await (await fetch(`${service.operationsUrl}/status`)).json()).not.toHaveProperty('embeddings');
  });
});

const LIST = { prompt: 'sofa', sort: 'relevance' };

describe('while the embedding service fails', () => {
  const service = forAllTests(() => startSemanticService({ EMBEDDINGS_TIMEOUT_MS: '1000' }));

  beforeAll(async () => {
    for (const name of ['sofa', 'sofa and couch', 'sofa for a cat']) await service.client.upload({ name });
    await service.embedded();
    await untilSemantic();
  });
  afterEach(async () => {
    service.embeddings.behaviour = {};
    // A breaker closes after 10 s.
    passTime(11_000);
    await untilSemantic();
  });

  const list = async (): Promise<{ status: number; ranking: string | null; names: string[] }> => {
    const { status, headers, body } = await service.client.list(LIST);
    return { status, ranking: headers.get('search-ranking'), names: body.content.map(({ name }) => name) };
  };
  const untilSemantic = (): Promise<void> => until('the list is ranked by meaning', async () => (await list()).ranking === 'semantic');

  it.each<[string, Behaviour]>([
    ['hangs', { hangs: true }],
    ['returns 500', { status: 500 }],
    ['refuses the prompt', { status: 400 }],
    ['returns vectors of a wrong length', { change: (vectors) => vectors.map((vector) => vector.slice(1)) }],
  ])('a list is ranked by words, and complete: it %s', async (_, behaviour) => {
    const byWords = await service.client.search('sofa', { ...LIST, semantic: 'false' });
    service.embeddings.behaviour = behaviour;
    for (let n = 0; n < 5; n += 1) expect(await list()).toEqual({ status: 200, ranking: 'lexical', names: byWords });
    expect((await service.client.get('/health/ready')).status).toBe(200);
  });

  it('after three failures it is not asked for some time', async () => {
    service.embeddings.behaviour = { status: 500 };
    const before = service.embeddings.requests.length;
    for (let n = 0; n < 20; n += 1) expect((await list()).ranking).toBe('lexical');
    // A probe after 10 s is possible on a slow machine.
    expect(service.embeddings.requests.length - before).toBeLessThan(10);
  });

  it('prompts that it refuses do not keep other lists from being ranked by meaning', async () => {
    service.embeddings.behaviour = { refuses: /couch/ };
    for (let n = 0; n < 5; n += 1)
      expect((await service.client.list({ ...LIST, prompt: 'couch sofa' })).headers.get('search-ranking')).toBe('lexical');
    const before = service.embeddings.requests.length;
    await list();
    expect(service.embeddings.requests.length).toBe(before + 1);
  });

  it('uploads are stored, searchable at once, and embedded when it is back', async () => {
    service.embeddings.behaviour = { hangs: true };
    const contentId = await service.client.upload({ name: 'settee in the rain' });
    await service.indexed();
    expect(await service.client.search('settee')).toEqual(['settee in the rain']);
    const waiting = 'select content_id from embedding_work where content_id = $1';
    expect(await service.database.query(waiting, [contentId])).toHaveLength(1);
    // The request that hangs ends with its connection.
    service.embeddings.behaviour = {};
    service.embeddings.closeConnections();
    await service.embedded();
  });

  it('a text that it refuses is marked and not sent again, and its item and all others are searched', async () => {
    service.embeddings.behaviour = { refuses: /unspeakable/ };
    await Promise.all(['one', 'two', 'unspeakable', 'three'].map((name) => service.client.upload({ name: `sofa ${name}` })));
    await service.embedded();
    const refused = await service.database.query<{ name: string; refusedReason: string }>(
      'select c.name, e.refused_reason from embedding e join content c using (content_id) where e.vector is null',
    );
    expect(refused).toEqual([{ name: 'sofa unspeakable', refusedReason: expect.stringContaining('responded with 400') }]);
    expect((await service.client.search('sofa', LIST)).length).toBeGreaterThanOrEqual(7);
    const metrics = async (): Promise<string> => (await fetch(`${service.operationsUrl}/metrics`)).text();
    await until('the items are counted', async () => /ugc_embedding_items\{kind="refused"\} [01]/.test(await metrics()));
    await service.client.upload({ name: 'sofa four' });
    await service.embedded();
    const [row] = await service.database.query<{ attempts: number }>('select count(*) as attempts from embedding_work');
    expect(row?.attempts).toBe(0);
  });

  it('no text is refused while the service refuses every one', async () => {
    service.embeddings.behaviour = { status: 400 };
    const before = service.embeddings.requests.length;
    const contentId = await service.client.upload({ name: 'sofa in the dark' });
    await until('it was asked twice', () => service.embeddings.requests.length > before + 2);
    const stored = 'select content_id from embedding where content_id = $1';
    expect(await service.database.query(stored, [contentId])).toEqual([]);
    service.embeddings.behaviour = {};
    await service.embedded();
    expect(await service.database.query(`${stored} and vector is not null`, [contentId])).toHaveLength(1);
  });
});

describe('semantic requests', () => {
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
});
