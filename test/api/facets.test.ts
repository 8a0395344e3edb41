import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContentItem } from '@ugc/items/changes/content-item';
import { tagKeyPattern } from '@ugc/api/search/facets/facet-searches';
import type { Facets } from '@ugc/api/search/facets/facets';
import { toDocument } from '@ugc/indexer/documents/document';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { tagKey } from '@ugc/text/rules/keys';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { untilCountedInRedis } from '../support/servers/redis.ts';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { startService } from '../support/processes/service.ts';

describe('facets', () => {
  const service = forAllTests(() => startService());

  const request = (query: string): Promise<ApiResponse<Facets>> => service.client.get(`/api/content/facets?${query}`);

  async function facetsOf(query: string): Promise<Facets> {
    const { status, body, text } = await request(query);
    if (status !== 200) throw new Error(`the facets of ${query} returned ${status}: ${text}`);
    return body;
  }

  /** Each test has items of its own, found by a tag that no other test uses. */
  async function store(own: string, items: StoredFields[]): Promise<number[]> {
    const ids = await storeContent(
      service.database,
      items.map((item) => ({ ...item, tags: [...(item.tags ?? []), own] })),
    );
    await service.indexed();
    return ids;
  }

  const encoded = (parameters: Record<string, string>): string => String(new URLSearchParams(parameters));
  const tagsOf = async (query: string): Promise<string[]> => (await facetsOf(query)).facets.tags.values.map(({ tag }) => tag);
  const countsOf = ({ facets }: Facets): Record<string, number> =>
    Object.fromEntries(facets.tags.values.map(({ tag, count }) => [tag, count]));

  it('an empty collection has facets without values', async () => {
    expect(await facetsOf('')).toEqual({
      totalElements: 0,
      facets: {
        tags: { values: [], other: 0, exact: true },
        creators: { values: [], other: 0, exact: true },
        ratings: { values: [] },
        downloads: { values: [] },
        created: { interval: 'hour', values: [] },
      },
    });
  });

  describe('the facets of a list', () => {
    it('have the 20 most frequent tags and creators, ties by the folded tag, and the sum of all other counts', async () => {
      const users = await service.database.query<{ userId: number }>(
        `insert into users (username, credential) select 'many ' || n, 'many|' || n from generate_series(1, 22) n returning user_id`,
      );
      const items = users.map(({ userId }, n) => ({ creatorId: userId, tags: [`tie ${String(99 - n)}`, `Tíe ${String(99 - n)}`] }));
      await store('many', [...items, { creatorId: users[21]?.userId ?? 0, tags: ['tie 78'] }]);
      const { facets } = await facetsOf('tags=many');
      const tied = Array.from({ length: 9 }, (_, n) => [`Tíe ${79 + n}`, `tie ${79 + n}`]).flat();
      expect(facets.tags.values.map(({ tag }) => tag)).toEqual(['many', 'tie 78', ...['Tíe 78', ...tied].slice(0, 18)]);
      expect(facets.tags.other).toBe(45 - 2 - 18);
      expect(facets.creators.values).toHaveLength(20);
      expect(facets.creators.values[0]).toEqual({ creatorId: users[21]?.userId, creatorName: 'many 22', count: 2 });
      expect(facets.creators.other).toBe(2);
    });

    it('belong to the corrected prompt, and Search-Correction names the correction', async () => {
      await store('prompted', [
        { name: 'zeppelin', tags: ['airship'] },
        { name: 'balloon', tags: ['hot air'] },
      ]);
      const response = await request('prompt=zeppelni');
      expect(response.headers.get('search-correction')).toBe('zeppelni=zeppelin');
      expect(response.body.totalElements).toBe(1);
      expect(countsOf(response.body)).toEqual({ airship: 1, prompted: 1 });
      const uncorrected = await request('prompt=zeppelni&correct=false');
      expect(uncorrected.headers.has('search-correction')).toBe(false);
      expect(uncorrected.body.totalElements).toBe(0);
      expect((await facetsOf('prompt=zeppelin+balloon&match=any')).totalElements).toBe(2);
      expect((await facetsOf('prompt=zeppelin+balloon&match=all')).totalElements).toBe(0);
    });

    it('accept the query string of the list unchanged', async () => {
      await store('unchanged', [{}, {}]);
      const list = 'tags=unchanged&page=1&size=1&sort=name&include=tags&explain=true';
      expect(await facetsOf(list)).toEqual(await facetsOf('tags=unchanged'));
      expect((await service.client.get(`/api/content?${list}`)).body.totalElements).toBe(2);
    });
  });

  describe('tagPrefix', () => {
    const OWN = 'of-prefixes';
    const TAGS = ['Éclair', 'eclipse', 'ECLAIR', 'pixel art', 'pixels', 'c++', 'c+', 'c.', 'cxx', '[a-z]', 'a"b', 'a\\b', 'a#b', 'a@b', 'a<1>', 'a~b&c^', 'ภาษาไทย', 'มหาวิทยาลัยเชียงใหม่', '10 %', '😀 smile', 'oder|und', '두부 요리']; // prettier-ignore
    beforeAll(() => store(OWN, [{ tags: TAGS }]));

    it.each<[string, string[]]>([
      ['ecl', ['ECLAIR', 'Éclair', 'eclipse']],
      ['ÉCLA', ['ECLAIR', 'Éclair']],
      ['  ecli', ['eclipse']],
      ['pixel', ['pixel art', 'pixels']],
      ['pixel ', ['pixel art']],
      ['pixel\u00a0\u3000A', ['pixel art']],
      ['ixel', []],
      ['c+', ['c+', 'c++']],
      ['c.', ['c.']],
      ['c++', ['c++']],
      ['[a', ['[a-z]']],
      ['a"', ['a"b']],
      ['a\\', ['a\\b']],
      ['a#', ['a#b']],
      ['a@', ['a@b']],
      ['a<1>', ['a<1>']],
      ['a~b&c^', ['a~b&c^']],
      ['.*', []],
      ['e|c', []],
      ['oder|', ['oder|und']],
      ['ภา', ['ภาษาไทย']],
      ['ภาษาไ', ['ภาษาไทย']],
      ['10 %', ['10 %']],
      ['😀', ['😀 smile']],
      ['eclairs', []],
      ['\u200b', ['10 %', '[a-z]']],
      [`e${'ﷺ'.repeat(63)}`, []],
      ['มหาวิท', ['มหาวิทยาลัยเชียงใหม่']],
      ['둡', ['두부 요리']],
      ['두부 요', ['두부 요리']],
    ])('%j narrows the tags', async (tagPrefix, expected) => {
      const tags = await tagsOf(encoded({ tags: OWN, tagPrefix }));
      if (tagPrefix === '\u200b') expect(tags).toHaveLength(20);
      else expect(tags).toEqual(expected);
    });

    it('is a regular expression of less than 1,000 characters, although a ligature is folded to eighteen letters', () => {
      expect(tagKeyPattern('ﷺ'.repeat(200), NEWEST_RULES)?.length).toBeLessThan(1_000);
      expect(tagKeyPattern('('.repeat(200), NEWEST_RULES)?.length).toBeLessThan(1_000);
      expect(tagKeyPattern(`${'('.repeat(300)}둡`, NEWEST_RULES)?.length).toBeLessThan(1_000);
    });

    it('narrows what other counts, and no other facet', async () => {
      await store('narrowed', [{ tags: Array.from({ length: 25 }, (_, n) => `n${n}`) }, { tags: ['m'] }]);
      const { totalElements, facets } = await facetsOf('tags=narrowed&tagPrefix=n');
      expect(totalElements).toBe(2);
      expect(facets.tags).toMatchObject({ values: { length: 20 }, other: 26 - 20 });
      expect(facets.creators.values).toMatchObject([{ count: 2 }]);
    });
  });

  describe('the intervals of created', () => {
    it('of one day are those of all matches, although createdFrom is given', async () => {
      await store('one-day', [{ createdAt: '2025-04-01T01:00:00.000Z' }, { createdAt: '2025-04-01T05:00:00.000Z' }]);
      const { totalElements, facets } = await facetsOf('tags=one-day&createdFrom=2025-04-01T02:00:00Z');
      expect(totalElements).toBe(1);
      expect(facets.created).toMatchObject({
        interval: 'hour',
        values: [{ count: 1 }, { count: 0 }, { count: 0 }, { count: 0 }, { count: 1 }],
      });
    });

    it('can be passed to the list, and contain as many items there', async () => {
      await store('passed', [{ createdAt: '2025-04-01T00:00:00.000Z' }, { createdAt: '2025-04-01T00:59:59.999Z' }, { createdAt: '2025-04-01T01:00:00.000Z' }]); // prettier-ignore
      const { values } = (await facetsOf('tags=passed')).facets.created;
      expect(values.map(({ count }) => count)).toEqual([2, 1]);
      for (const { from, to, count } of values) {
        const { body } = await service.client.list({ tags: 'passed', createdFrom: from, createdTo: to });
        expect(body.totalElements).toBe(count);
      }
    });
  });

  describe('the request', () => {
    it.each([
      ['tagPrefix=a%00&match=some&correct=yes', ['tagPrefix', 'match', 'correct']],
      ['creatorId=x&minRating=6', ['creatorId', 'minRating']],
      ['createdFrom=2025-01-02&createdTo=2025-01-02', ['createdFrom']],
      ['minDownloads=2&maxDownloads=1', ['minDownloads']],
    ])('is a 400 that names the parameter: %s', async (query, named) => {
      expectErrors(await request(query), named);
    });

    it('counts as a list', async () => {
      const limited = await startApiAlone({ RATE_LIMIT_LISTS_PER_MINUTE: '1', RATE_LIMIT_READS_PER_MINUTE: '1' });
      await untilCountedInRedis(limited, 901);
      await limited.client.get('/api/content/facets', 902);
      expect(expectProblem(await limited.client.get('/api/content/facets', 902), 429).detail).toContain('1 lists');
      expectProblem(await limited.client.get('/api/content', 902), 429);
      await limited.stop();
    });
  });

  describe('facets over an index of another shape', () => {
    const api = forAllTests(() => startApiAlone());
    let alias: string;
    beforeAll(() => {
      alias = api.env['CONTENT_ALIAS'] ?? '';
    });

    const point = async (index: string): Promise<void> => {
      const remove = { index: `${alias}-v*`, alias, must_exist: false };
      await api.elasticsearch.indices.updateAliases({ actions: [{ remove }, { add: { index, alias } }] });
    };
    const document = (contentId: number, tags: string[]) => toDocument(indexedContent({ contentId, tags }), NEWEST_RULES);
    const createSharded = async (index: string, tagsOfItem: (n: number) => string[]): Promise<void> => {
      const settings = { ...INDEX_BODY.settings, number_of_shards: 2 };
      await api.elasticsearch.indices.create({ index, ...INDEX_BODY, settings });
      const operations = Array.from({ length: 200 }, (_, n) => [{ index: { _id: String(n) } }, document(n, tagsOfItem(n))]).flat();
      await api.elasticsearch.bulk({ index, operations, refresh: true });
      await point(index);
    };

    it('with two shards are exact while each shard reports all of its tags', async () => {
      await createSharded(`${alias}-v4-few`, (n) => ['all', `tag ${n % 100}`]);
      const { body } = await api.client.get('/api/content/facets');
      expect(body.totalElements).toBe(200);
      expect(body.facets.tags).toMatchObject({ values: { length: 20, 0: { tag: 'all', count: 200 } }, other: 200 - 19 * 2, exact: true });
      expect(body.facets.creators).toEqual({ values: [{ creatorId: 1, creatorName: 'ada', count: 200 }], other: 0, exact: true });
    });

    it('with two shards say that they are not exact when a shard does not report all of its tags', async () => {
      await createSharded(`${alias}-v4-many`, (n) => ['all', ...Array.from({ length: 32 }, (_, tag) => `${n}-${tag}`)]);
      const { body } = await api.client.get('/api/content/facets');
      expect(body.facets.tags).toMatchObject({ exact: false, other: 200 * 33 - 200 - 19 });
      expect(body.facets.creators.exact).toBe(true);
    });
  });
});

describe('facets property', () => {
  const ITEMS = 240;
  const DELETED = 20;
  const PAGE_SIZE = 50;
  const CREATORS = [1, 2, 3];
  const WORDS = ['lantern', 'harbour', 'violet', 'comet', 'meadow'];
  const TAGS = Array.from({ length: 30 }, (_, n) => [`tag ${n}`, `Täg ${n}`]).flat();
  /** test/api/fields-search.test.ts has those of declared fields. */
  type FacetName = Exclude<keyof Facets['facets'], 'fields'>;
  /** The filters that each facet ignores. */
  const OWN_FILTERS: Record<FacetName, string[]> = {
    tags: ['anyTags'],
    creators: ['creatorId'],
    ratings: ['minRating'],
    downloads: ['minDownloads', 'maxDownloads'],
    created: ['createdFrom', 'createdTo'],
  };

  const service = forAllTests(() => startService());
  beforeAll(async () => {
    const [items] = fc.sample(fc.array(item, { minLength: ITEMS, maxLength: ITEMS, size: 'max' }), { numRuns: 1, seed: 13 });
    const ids = await storeContent(service.database, items ?? []);
    for (const [n, id] of ids.slice(0, DELETED).entries())
      expect((await service.client.send('DELETE', `/api/content/${id}`, undefined, items?.[n]?.creatorId)).status).toBe(204);
    await service.indexed();
  });

  const time = fc.date({ min: new Date('2023-06-01'), max: new Date('2025-12-31'), noInvalidDate: true }).map((date) => date.toISOString());
  const tag = fc.nat(TAGS.length - 1).map((n) => TAGS[Math.floor(n ** 2 / TAGS.length)] ?? '');

  const item = fc.record({
    name: fc.shuffledSubarray(WORDS, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
    tags: fc.uniqueArray(tag, { maxLength: 6 }),
    creatorId: fc.constantFrom(1, 1, 1, 2, 2, 3),
    ratings: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
    downloads: fc.oneof(fc.constant(0), fc.nat(12), fc.nat(2_000)),
    createdAt: time,
  });

  type Parameters = Record<string, string | string[] | undefined>;

  const optional = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  const ordered = (names: [string, string], value: fc.Arbitrary<string>, isBefore: (a: string, b: string) => boolean) =>
    fc
      .tuple(optional(value), optional(value))
      .filter(([from, to]) => from === undefined || to === undefined || isBefore(from, to))
      .map(([from, to]): Parameters => ({ [names[0]]: from, [names[1]]: to }));

  const single = fc.record({
    prompt: optional(fc.constantFrom('lantern', 'harbour violet', 'lanternn', 'har', '-comet', '"violet comet"', 'lantern harbour comet')),
    match: optional(fc.constantFrom('any', 'most', 'all', 'closest')),
    tags: optional(fc.array(tag, { minLength: 1, maxLength: 2 })),
    anyTags: optional(fc.array(tag, { minLength: 1, maxLength: 3 })),
    excludeTags: optional(fc.array(tag, { minLength: 1, maxLength: 3 })),
    creatorId: optional(fc.subarray(CREATORS.map(String), { minLength: 1 })),
    excludeCreatorId: optional(fc.subarray(CREATORS.map(String), { minLength: 1, maxLength: 1 })),
    contentId: optional(fc.uniqueArray(fc.integer({ min: 1, max: ITEMS + 5 }).map(String), { minLength: 50, maxLength: 100, size: 'max' })),
    minRating: optional(fc.constantFrom('0', '1', '2.5', '4', '5')),
    tagPrefix: optional(fc.constantFrom('tag', 'TÄG 1', 'tag 2', 'x')),
  });
  const parameters: fc.Arbitrary<Parameters> = fc
    .tuple(
      single,
      ordered(['minDownloads', 'maxDownloads'], fc.nat(150).map(String), (a, b) => Number(a) <= Number(b)),
      ordered(['createdFrom', 'createdTo'], time, (a, b) => a < b),
      ordered(['updatedFrom', 'updatedTo'], time, (a, b) => a < b),
    )
    .map((parts) => Object.assign({}, ...parts) as Parameters);

  /** The filters of each facet alone, and some of them together. */
  const EXAMPLES: Parameters[] = [
    {},
    { prompt: 'lantern harbour comet', match: 'closest', createdFrom: '2025-12-30T00:00:00.000Z' },
    { anyTags: ['tag 0'] },
    { creatorId: ['2', '3'] },
    { contentId: ['1', '40', '50', '60', '60', '999'] },
    { minRating: '4' },
    { minDownloads: '1', maxDownloads: '12' },
    { createdFrom: '2025-01-03T00:00:00.000Z' },
    { anyTags: ['tag 0', 'tag 1'], creatorId: ['1'], minRating: '4', createdTo: '2025-06-01T00:00:00.000Z' },
    { tags: ['tag 0'], excludeTags: ['tag 1'], excludeCreatorId: ['2'], updatedTo: '2025-01-01T00:00:00.000Z' },
  ];

  function queryOf(given: Parameters, without: string[] = []): string {
    const entries = Object.entries(given).filter(([name]) => !without.includes(name));
    const pairs = entries.flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each]));
    return String(new URLSearchParams(pairs));
  }

  async function get<T>(path: string): Promise<T> {
    const { status, body, text } = await service.client.get(path);
    if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`);
    return body;
  }

  type Page = { content: ContentItem[]; totalPages: number };

  /** The items of all pages. */
  async function listAll(query: string): Promise<ContentItem[]> {
    const items: ContentItem[] = [];
    for (let page = 0, pages = 1; page < pages; page += 1) {
      const { content, totalPages } = await get<Page>(`/api/content?${query}&include=tags&size=${PAGE_SIZE}&page=${page}`);
      items.push(...content);
      pages = totalPages;
    }
    return items;
  }

  function countBy<T>(items: ContentItem[], valuesOf: (item: ContentItem) => T[]): [T, number][] {
    const counts = new Map<T, number>();
    for (const value of items.flatMap(valuesOf)) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts];
  }

  function byBytes(a: string, b: string): number {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }

  function largest<T>(counts: [T, number][], keyOf: (value: T) => string): { values: [T, number][]; other: number } {
    const sorted = counts.toSorted(([a, countA], [b, countB]) => countB - countA || byBytes(keyOf(a), keyOf(b)));
    return { values: sorted.slice(0, 20), other: sorted.slice(20).reduce((sum, [, count]) => sum + count, 0) };
  }

  const foldedTag = (text: string): string => text.toLowerCase().replaceAll('ä', 'a');

  /** Counts what the facets must contain, item by item. */
  const EXPECTED: Record<FacetName, (items: ContentItem[], given: Parameters, facets: Facets['facets']) => unknown> = {
    tags: (items, { tagPrefix = '' }) => {
      const counts = countBy(items, ({ tags = [] }) => tags.filter((each) => foldedTag(each).startsWith(foldedTag(String(tagPrefix)))));
      const { values, other } = largest(counts, (tag) => tagKey(tag, NEWEST_RULES));
      return { values: values.map(([each, count]) => ({ tag: each, count })), other, exact: true };
    },
    creators: (items) => {
      const names = new Map(items.map(({ creatorId, creatorName }) => [creatorId, creatorName]));
      const { values, other } = largest(countBy(items, ({ creatorId }) => [creatorId]), String); // prettier-ignore
      return { values: values.map(([creatorId, count]) => ({ creatorId, creatorName: names.get(creatorId), count })), other, exact: true };
    },
    ratings: (items) => {
      const counts = countBy(items, ({ avgRating }) => [Math.floor(avgRating)]);
      return { values: counts.toSorted(([a], [b]) => b - a).map(([stars, count]) => ({ stars, count })) };
    },
    downloads: (items) => {
      const counts = countBy(items, ({ downloadsCount }) => [downloadsCount === 0 ? 0 : 10 ** Math.floor(Math.log10(downloadsCount))]);
      const values = counts.toSorted(([a], [b]) => a - b);
      return { values: values.map(([min, count]) => ({ min, max: min === 0 ? 0 : min * 10 - 1, count })) };
    },
    created: (items, _, { created: { interval, values } }) => {
      const times = items.map(({ createdAt }) => Date.parse(createdAt)).toSorted((a, b) => a - b);
      const [first, last] = [values.at(0), values.at(-1)];
      if (times.length > 0) {
        expect(Date.parse(first?.from ?? '')).toBeLessThanOrEqual(times.at(0) ?? NaN);
        expect(Date.parse(first?.to ?? '')).toBeGreaterThan(times.at(0) ?? NaN);
        expect(Date.parse(last?.from ?? '')).toBeLessThanOrEqual(times.at(-1) ?? NaN);
        expect(Date.parse(last?.to ?? '')).toBeGreaterThan(times.at(-1) ?? NaN);
      }
      expect(values.length).toBeLessThanOrEqual(60);
      expect(values.slice(1).map(({ from }) => from)).toEqual(values.slice(0, -1).map(({ to }) => to));
      const inside = (from: string, to: string): number => times.filter((at) => at >= Date.parse(from) && at < Date.parse(to)).length;
      return { interval, values: times.length === 0 ? [] : values.map(({ from, to }) => ({ from, to, count: inside(from, to) })) };
    },
  };

  /** If the filters together leave no item with most words, each facet is counted by the words that the list requires then. */
  async function requiredBy(given: Parameters): Promise<Parameters> {
    if (given['match'] !== 'closest') return {};
    const { interpretation } = await get<{ interpretation?: { match?: string } }>(`/api/content?${queryOf(given)}&size=1&explain=true`);
    return interpretation?.match === 'closest' ? {} : { match: 'most' };
  }

  it('facets are the counts over all pages of the list, each without its own filters, for any prompt and filters', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, async (given) => {
        const { totalElements, facets } = await get<Facets>(`/api/content/facets?${queryOf(given)}`);
        expect(totalElements).toBe((await listAll(queryOf(given))).length);
        const required = await requiredBy(given);
        for (const name of Object.keys(OWN_FILTERS) as FacetName[]) {
          const items = await listAll(queryOf({ ...given, ...required }, OWN_FILTERS[name]));
          expect({ name, ...facets[name] }).toEqual({ name, ...(EXPECTED[name](items, given, facets) as object) });
        }
      }),
      { numRuns: runs(20, 60), examples: EXAMPLES.map((given) => [given]) },
    );
  });
});
