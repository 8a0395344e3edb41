import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RANGES, type Filters } from '@ugc/api/search/filters';
import type { ContentPage } from '@ugc/api/search/page';
import { SORTABLE } from '@ugc/api/search/parameters';
import { heatOfRecent } from '@ugc/items/changes/popularity';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { pauseIndexing } from '@ugc/shared/indices/index-control';
import fc from 'fast-check';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import type { ApiResponse, Client } from '../support/http/client.ts';
import { problemsOnPage } from '../support/http/operations-status.ts';
import { expectProblem } from '../support/http/problems.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { createEnvironment, TEST_SHARDS, USERS } from '../support/processes/environment.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';

const SORTED = { empty: false, sorted: true, unsorted: false };

const minute = (count: number): string => new Date(Date.UTC(2026, 0, 1, 0, count)).toISOString();

/** 53 items, 45 with one tag and 3 with another. Many have equal sort values. */
const ITEMS: StoredFields[] = Array.from({ length: 53 }, (_, n) => ({
  creatorId: 1 + (n % 3),
  name: `${['Kettle', 'äpple', 'apple', 'BANANA', 'banana', 'Zebra', 'élan', '10 of them'][n % 8]}`,
  tags: [...(n < 45 ? ['fortyfive'] : []), ...(n >= 50 ? ['three'] : [])],
  version: n % 7,
  downloads: (n * 7) % 11,
  latestDownloads: (n * 7) % 11 > 5 ? 5 : (n * 3) % 2 && (n * 7) % 11 > 0 ? 1 : 0,
  ratings: n % 4 === 0 ? [] : Array.from({ length: n % 4 }, (_unused, rater) => 1 + ((n + rater) % 5)),
  createdAt: minute(n >> 2),
  updatedAt: minute(100 - (n % 10)),
}));

describe('GET /api/content', () => {
  const service = forAllTests(() => startService());
  let ids: number[];
  beforeAll(async () => {
    ids = await storeContent(service.database, ITEMS);
    await service.indexed();
  });

  const list = (query: string) => service.client.get(`/api/content${query}`);
  const idsOf = ({ body }: ApiResponse<ContentPage>): number[] => body.content.map((item) => item.contentId);

  it('without a prompt is found in the request cache of Elasticsearch when it is read again', async () => {
    const hits = async (): Promise<number> => {
      const { _all } = await service.elasticsearch.indices.stats({ index: service.env['CONTENT_ALIAS'] ?? '', metric: 'request_cache' });
      return _all.primaries?.request_cache?.hit_count ?? 0;
    };
    const [first, before] = [await list('?size=7&tags=fortyfive'), await hits()];
    const again = await list('?size=7&tags=fortyfive');
    expect(again.body).toEqual(first.body);
    expect(await hits()).toBe(before + TEST_SHARDS);
  });

  describe('without parameters or with blank ones', () => {
    it.each([
      '',
      '?',
      '?prompt=&page=&size=&sort=',
      '?prompt=%20&page=%20&size=+&sort=%20',
      '?prompt=%E2%80%8B&page=%E3%85%A4&size=%E2%A0%80&sort=%C2%AD',
      '?sort=createdAt,desc&sort[]=',
      '?page=0&size=10&sort=createdAt,desc',
    ])('returns the first ten items, newest first: %j', async (query) => {
      const response = await list(query);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(idsOf(response)).toEqual(ids.toReversed().slice(0, 10));
      const { content: _, ...envelope } = response.body;
      expect(envelope).toEqual({
        pageable: { pageNumber: 0, pageSize: 10, sort: SORTED, offset: 0, paged: true, unpaged: false },
        last: false,
        first: true,
        totalElements: 53,
        totalPages: 6,
        size: 10,
        number: 0,
        sort: SORTED,
        numberOfElements: 10,
        empty: false,
      });
    });
  });

  it('returns the same twelve fields of an item as GET /api/content/{id}', async () => {
    const { body } = await list('?size=1&sort=avgRating,desc');
    const one = await service.client.get(`/api/content/${body.content[0].contentId}`);
    expect(body.content).toEqual([one.body]);
    expect(Object.keys(one.body).sort()).toEqual(
      ['avgRating', 'contentId', 'createdAt', 'creatorId', 'creatorName', 'data', 'description', 'downloadsCount', 'latestDownloadsCount', 'name', 'updatedAt', 'version'], // prettier-ignore
    );
    expect(one.body.createdAt).toMatch(/^2026-01-01T00:\d\d:00\.000\+00:00$/);
  });

  describe('returns with totals=false the same page without its totals', () => {
    const filters = ['', 'prompt=fortyfive&', 'prompt=nothing+has+this&', 'prompt=three&sort=relevance&'];
    const pages = ['size=2', 'size=1&page=2', 'size=5&page=8', 'size=53', 'size=20&page=2', 'size=20&page=99', 'page=2147483647&size=200'];
    it.each(filters.flatMap((filter) => pages.map((page) => filter + page)))('for %s', async (query) => {
      const { totalElements, totalPages, ...slice } = (await list(`?${query}`)).body;
      expect((await list(`?${query}&totals=false`)).body).toEqual(slice);
      expect([totalElements, totalPages]).toEqual([expect.any(Number), expect.any(Number)]);
    });
  });

  it.each(['0.30000000000000004', '4.000000000000000000000', '0.0000010000000000000001'])(
    'accepts decimal digits of any precision in minRating=%s',
    async (minRating) => {
      expect((await service.client.list({ minRating })).status).toBe(200);
    },
  );

  describe('sorts items', () => {
    const FOLDED = ['10 of them', 'äpple', 'apple', 'BANANA', 'banana', 'élan', 'Kettle', 'Zebra'];
    const nameRank = (name = ''): number => [0, 1, 1, 2, 2, 3, 4, 5][FOLDED.indexOf(name)] ?? NaN;
    const creatorRank = (id = 0): number => [NaN, 0, 1, 2][id] ?? NaN;
    const mean = (ratings: number[] = []): number => ratings.reduce((sum, each) => sum + each, 0) / (ratings.length || 1);
    type Descending = 'relevance' | 'best' | 'trending' | 'hot';
    const KEYS: Record<Exclude<(typeof SORTABLE)[number], Descending | 'contentId'>, (item: StoredFields) => number> = {
      creatorId: (item) => item.creatorId ?? NaN,
      creatorName: (item) => creatorRank(item.creatorId),
      name: (item) => nameRank(item.name),
      version: (item) => item.version ?? NaN,
      downloadsCount: (item) => item.downloads ?? NaN,
      latestDownloadsCount: (item) => item.latestDownloads ?? NaN,
      avgRating: (item) => mean(item.ratings),
      createdAt: (item) => Date.parse(item.createdAt ?? ''),
      updatedAt: (item) => Date.parse(item.updatedAt ?? ''),
    };
    type Key = keyof typeof KEYS | 'contentId';
    const valueOf = (key: Key, position: number): number => (key === 'contentId' ? position : KEYS[key](ITEMS[position] ?? {}));
    const expected = (...keys: [Key, 'asc' | 'desc'][]): number[] => {
      const order = [...keys, ['contentId', keys[0]?.[1] ?? 'desc'] as const];
      const compare = (a: number, b: number): number => {
        for (const [key, direction] of order) {
          const difference = valueOf(key, a) - valueOf(key, b);
          if (difference !== 0) return direction === 'asc' ? difference : -difference;
        }
        return 0;
      };
      return [...ITEMS.keys()].sort(compare).map((position) => ids[position] ?? NaN);
    };

    const fields = [...Object.keys(KEYS), 'contentId'] as Key[];
    it('by every field of SORTABLE', () => expect(['relevance', 'best', 'trending', 'hot', ...fields].sort()).toEqual(SORTABLE.toSorted()));

    it.each(fields)('by %s in both directions, ascending by default, with contentId as the tiebreaker', async (field) => {
      for (const sort of [field, `${field},asc`, `${field},ASC`])
        expect(idsOf(await list(`?size=200&sort=${sort}`))).toEqual(expected([field, 'asc']));
      for (const sort of [`${field},desc`, `${field}%2CDesc`])
        expect(idsOf(await list(`?size=200&sort=${sort}`))).toEqual(expected([field, 'desc']));
    });

    it('by several sort keys in the given order', async () => {
      const query = '?size=200&sort=creatorName,desc&sort=&sort=version&sort=avgRating,desc&sort=contentId,asc';
      expect(idsOf(await list(query))).toEqual(
        expected(['creatorName', 'desc'], ['version', 'asc'], ['avgRating', 'desc'], ['contentId', 'asc']),
      );
      expect(idsOf(await list('?size=200&sort=name&sort=name,desc'))).toEqual(expected(['name', 'asc']));
    });

    it.each(['relevance', 'relevance,desc', 'relevance,asc'])('by createdAt,desc for %s without a prompt', async (sort) => {
      for (const prompt of ['', '%20'])
        expect(idsOf(await list(`?size=200&prompt=${prompt}&sort=${sort}`))).toEqual(expected(['createdAt', 'desc']));
    });

    it('by the requested field with a prompt', async () => {
      const found = expected(['downloadsCount', 'desc']).filter((id) => ids.indexOf(id) < 45);
      expect(idsOf(await list('?size=200&prompt=fortyfive&sort=downloadsCount,desc'))).toEqual(found);
    });

    it.each(['name', 'avgRating', 'relevance'])('has its default direction if sort=%s ends with a comma', async (field) => {
      expect(idsOf(await list(`?size=60&sort=${field},`))).toEqual(idsOf(await list(`?size=60&sort=${field}`)));
    });
  });

  it.each([
    ['tags=&tags[]=', 53],
    ['tags=+', 0],
    ['tags=+&tags=fortyfive', 0],
    ['minDownloads=9007199254740991', 0],
    ['createdFrom=0000-01-01', 53],
    ['createdTo=0000-01-01T00:00:00%2B23:59', 0],
    ['createdFrom=1969-12-31T23:59:59.999Z', 53],
    ['createdTo=1970-01-01T00:00:02Z', 0],
    ['createdTo=9999-12-31T23:59:59.9999-23:59', 53],
  ])('filters by blank values, and by the least and the greatest values: %s', async (query, found) => {
    expect((await list(`?${query}`)).body.totalElements).toBe(found);
  });

  it.each(['\u0020', '\u200b', '\u3164', '\u2800'])('finds the items that were stored with the blank tag %j', async (tag) => {
    const [id] = await storeContent(service.database, [{ tags: [tag] }]);
    await service.indexed();
    const value = encodeURIComponent(tag);
    for (const query of [`tags=${value}`, `anyTags[]=${value}`]) expect(idsOf(await list(`?${query}`))).toEqual([id]);
    expect((await list(`?excludeTags=${value}`)).body.totalElements).toBe(53);
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
  });
});

type Item = {
  id: number;
  name: string;
  creatorId: number;
  tags: string[];
  ratings: number[];
  downloads: number;
  createdAt: string;
  updatedAt: string;
  isDeleted: boolean;
};

const WORDS = ['amber', 'birch', 'cedar'];
const TAGS = ['red', 'Red', 'RED', 'azure', 'azure blue', ' azure ', 'été', 'a,b'];
const DAY = 86_400_000;
const EPOCH = Date.parse('2026-01-01T00:00:00Z');
/** Several items share each of these times. */
const TIMES = [0, 1, 999, 1_000, DAY, DAY + 1, 31 * DAY, 59 * DAY].map((after) => EPOCH + after);
const DOWNLOADS = [0, 1, 9, 10, 100, 12_345];
/** How many downloads there were lately. */
const recentOf = ({ downloads }: { downloads: number }): number => [0, 0.2, 3, 20, 3, 0][DOWNLOADS.indexOf(downloads)] ?? NaN;
const heatOf = (item: { downloads: number }): number | null => (recentOf(item) === 0 ? null : heatOfRecent(recentOf(item), Date.now()));
const RATINGS = [[], [1], [3], [4, 5], [5, 5, 3], [5], [2, 2, 3]];

const anyItem = fc.record({
  name: fc.shuffledSubarray(WORDS, { minLength: 1 }).map((words) => words.join(' ')),
  creatorId: fc.constantFrom(...Object.values(USERS)),
  tags: fc.shuffledSubarray(TAGS, { maxLength: 4 }),
  ratings: fc.constantFrom(...RATINGS),
  downloads: fc.constantFrom(...DOWNLOADS),
  createdAt: fc.constantFrom(...TIMES).map(toIso),
  updatedAt: fc.constantFrom(...TIMES).map(toIso),
  isDeleted: fc.integer({ min: 1, max: 8 }).map((one) => one === 1),
});

/** Some are between two milliseconds. */
const anyTime = fc.tuple(fc.constantFrom(...TIMES), fc.constantFrom(-1, 0, 0.25, 1)).map(([time, offset]) => time + offset);
const anyDownloads = fc.tuple(fc.constantFrom(...DOWNLOADS), fc.constantFrom(0, 1)).map(([count, more]) => count + more);
const someTags = fc.shuffledSubarray([...TAGS, 'unknown'], { minLength: 1, maxLength: 3 });
const someIds = fc.shuffledSubarray(
  Array.from({ length: 70 }, (_, n) => n + 1),
  { minLength: 1, maxLength: 50 },
);
const someUsers = fc.shuffledSubarray([...Object.values(USERS), 999], { minLength: 1, maxLength: 2 });

/** Each filter: its values, and what it means. */
const FILTERS = {
  tags: rule(someTags, (item, tags) => tags.every((tag) => item.tags.includes(tag))),
  anyTags: rule(someTags, (item, tags) => tags.some((tag) => item.tags.includes(tag))),
  excludeTags: rule(someTags, (item, tags) => !tags.some((tag) => item.tags.includes(tag))),
  creatorId: rule(someUsers, (item, ids) => ids.includes(item.creatorId)),
  excludeCreatorId: rule(someUsers, (item, ids) => !ids.includes(item.creatorId)),
  contentId: rule(someIds, (item, ids) => ids.includes(item.id)),
  minRating: rule(fc.constantFrom(0, 1, 2.3, 3, 4.3, 4.5, 5), (item, least) => averageOf(item) >= least),
  minDownloads: rule(anyDownloads, (item, least) => item.downloads >= least),
  maxDownloads: rule(anyDownloads, (item, most) => item.downloads <= most),
  minRecent: rule(fc.constantFrom(0, 1, 2, 10, 30), (item, least) => recentOf(item) >= least),
  createdFrom: rule(anyTime, (item, from) => Date.parse(item.createdAt) >= from),
  createdTo: rule(anyTime, (item, to) => Date.parse(item.createdAt) < to),
  updatedFrom: rule(anyTime, (item, from) => Date.parse(item.updatedAt) >= from),
  updatedTo: rule(anyTime, (item, to) => Date.parse(item.updatedAt) < to),
} satisfies Record<Exclude<keyof Filters, OfDeclaredFields>, ReturnType<typeof rule>>;
/** test/api/fields-search.test.ts has them. */
type OfDeclaredFields = 'where' | 'whereAll' | 'whereNot';
type FilterName = keyof typeof FILTERS;
type Given = Partial<Record<FilterName, unknown>>;

const anyFilters = fc
  .shuffledSubarray(Object.keys(FILTERS) as FilterName[], { maxLength: 4 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name): [FilterName, fc.Arbitrary<unknown>] => [name, FILTERS[name].values]))));

const PROMPTS: Record<string, (item: Item) => boolean> = {
  '': () => true,
  amber: ({ name }) => name.includes('amber'),
  'cedar birch': ({ name }) => name.includes('cedar') && name.includes('birch'),
  'amber -birch': ({ name }) => name.includes('amber') && !name.includes('birch'),
};

const anyList = fc.record({
  filters: anyFilters,
  prompt: fc.constantFrom(...Object.keys(PROMPTS)),
  sort: fc
    .array(fc.tuple(fc.constantFrom(...SORTABLE), fc.constantFrom('asc', 'desc')), { maxLength: 3 })
    .filter((keys) => !['relevance', 'best'].every((field) => keys.some(([key]) => key === field))),
  size: fc.integer({ min: 5, max: 60 }),
  encoding: fc.record({ isPlusEncoded: fc.boolean(), offsetMinutes: fc.constantFrom(0, 60, 345, -210) }),
});
type List = typeof anyList extends fc.Arbitrary<infer T> ? T : never;

/** Each filter alone, with a value that some items have exactly. */
const EXAMPLES = [
  ...[{}, { tags: ['red', 'azure'] }, { anyTags: ['red', 'été'] }, { excludeTags: ['red'] }, { creatorId: [2] }, { excludeCreatorId: [2] }],
  ...[{ contentId: [60, 1, 2, 3, 3, 999] }],
  ...[{ minRating: 4.5 }, { minDownloads: 10 }, { maxDownloads: 10 }, { minRecent: 3 }],
  ...['createdFrom', 'createdTo', 'updatedFrom', 'updatedTo'].map((name) => ({ [name]: TIMES[3] })),
].map((filters): List => ({ filters, prompt: '', sort: [], size: 60, encoding: { isPlusEncoded: true, offsetMinutes: 0 } }));

describe('all lists with filters', () => {
  const lists = runs(50, 120);
  const samples = fc.sample(anyItem, { numRuns: 60, seed: 20261122 });
  let service: Service;
  let items: Item[];
  beforeAll(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    const ids = await storeContent(
      stores.database,
      samples.map(({ isDeleted: _, ...fields }) => ({ ...fields, heatWeek: heatOf(fields) })),
    );
    expect(ids).toEqual(samples.map((_, n) => n + 1));
    items = samples.map((fields, position) => ({ id: ids[position] ?? NaN, ...fields }));
    await close();
    service = await startService(env);
    for (const { id, creatorId } of items.filter(({ isDeleted }) => isDeleted)) {
      expect((await service.client.send('DELETE', `/api/content/${id}`, undefined, creatorId)).status).toBe(204);
    }
    await service.indexed();
  });
  afterAll(() => service.stop());

  it('contain exactly the items that match the prompt and every filter, whatever the sort', async () => {
    expect(new Set(EXAMPLES.flatMap(({ filters }) => Object.keys(filters)))).toEqual(new Set(Object.keys(FILTERS)));
    let found = 0;
    const isComplete = async (list: List): Promise<void> => {
      const query = toQuery(list);
      if (isEmptyRange(list.filters)) {
        expect((await service.client.get(`/api/content?${query}`)).status).toBe(400);
        return;
      }
      const expected = items.filter((item) => isMatch(item, list)).map(({ id }) => id);
      found += expected.length > 0 ? 1 : 0;
      expect({ query, ids: await listedIds(service.client, query, list.size) }).toEqual({ query, ids: expected });
    };
    await fc.assert(fc.asyncProperty(anyList, isComplete), { numRuns: lists, seed: 20261122, examples: EXAMPLES.map((list) => [list]) });
    // Most random lists must not be empty, or they would say little; the examples are not.
    expect(found - EXAMPLES.length).toBeGreaterThan((lists - EXAMPLES.length) / 3);
  });
});

/** Reads all pages. @returns the ids in ascending order */
async function listedIds(client: Client, query: string, size: number): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 0, pages = 1; page < pages; page += 1) {
    const { status, body, text } = await client.get(`/api/content?${query}&page=${page}&size=${size}`);
    if (status !== 200) throw new Error(`the list returned ${status}: ${text}`);
    ids.push(...body.content.map(({ contentId }: { contentId: number }) => contentId));
    pages = body.totalPages;
    if (page >= pages - 1) expect(body.totalElements).toBe(ids.length);
  }
  return ids.toSorted((a, b) => a - b);
}

function rule<T>(values: fc.Arbitrary<T>, matches: (item: Item, value: T) => boolean) {
  return { values: values as fc.Arbitrary<unknown>, matches: (item: Item, value: unknown) => matches(item, value as T) };
}

function isMatch(item: Item, { filters, prompt }: List): boolean {
  const isFiltered = Object.entries(filters).every(([name, value]) => FILTERS[name as FilterName].matches(item, value));
  return !item.isDeleted && isFiltered && PROMPTS[prompt]!(item);
}

/** Times count in milliseconds, so a fraction of one makes no range. */
function isEmptyRange(filters: Given): boolean {
  const valueOf = (name: FilterName, otherwise: number): number => Math.ceil(Number(filters[name] ?? otherwise));
  return RANGES.some(({ lower, upper, includesUpper }) => {
    const [from, to] = [valueOf(lower, -Infinity), valueOf(upper, Infinity)];
    return from > to || (from === to && !includesUpper);
  });
}

function toQuery({ filters, prompt, sort, encoding }: List): string {
  const pairs = Object.entries(filters).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, /(From|To)$/.test(name) ? toOffsetTime(Number(one), encoding) : String(one)]),
  );
  const keys = sort.map(([field, direction]): [string, string] => ['sort', `${field},${direction}`]);
  const query = new URLSearchParams([['prompt', prompt], ['correct', 'false'], ...pairs, ...keys]).toString();
  return encoding.isPlusEncoded ? query : query.replaceAll('%2B', '+');
}

/** The time with any fraction of a millisecond, as a local time with its offset to UTC. */
function toOffsetTime(time: number, { offsetMinutes }: List['encoding']): string {
  const whole = Math.floor(time);
  const local = toIso(whole + offsetMinutes * 60_000).slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60].map((n) => String(n).padStart(2, '0'));
  return `${local}${time === whole ? '' : String(time - whole).slice(2)}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}

function averageOf({ ratings }: Item): number {
  return ratings.length === 0 ? 0 : ratings.reduce((sum, score) => sum + score, 0) / ratings.length;
}

/** Documents per bulk request, few enough for a slow machine. */
const BATCH_SIZE = 4_000;
const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** Writes documents directly to the index: uploading that many would take minutes. */
async function fill({ elasticsearch, env }: Service, first: number, count: number): Promise<void> {
  for (let start = first; start < first + count; start += BATCH_SIZE) {
    const ids = Array.from({ length: Math.min(BATCH_SIZE, first + count - start) }, (_, n) => start + n);
    const operations = ids.flatMap((contentId) => [
      { index: {} },
      { contentId, createdAt: CREATED_AT, updatedAt: CREATED_AT, deleted: false },
    ]);
    const { errors } = await elasticsearch.bulk({ index: env['CONTENT_ALIAS'] ?? '', operations });
    expect(errors).toBe(false);
  }
  await elasticsearch.indices.refresh({ index: env['CONTENT_ALIAS'] ?? '' });
}

describe('a list of 12,000 items', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await fill(service, 1, 12_000);
  });
  const page = (parameters: Record<string, string | number>): Promise<ApiResponse> =>
    service.client.list({ sort: 'contentId,asc', ...parameters });

  it.each([
    [0, 200, 1, 200],
    [49, 200, 9_801, 200],
    [50, 200, 10_001, 200],
    [59, 200, 11_801, 200],
    [79, 150, 11_851, 150],
    [80, 149, 11_921, 80],
    [11_999, 1, 12_000, 1],
  ])('returns page %i of size %i with the exact total', async (number, size, first, found) => {
    const { status, body } = await page({ page: number, size });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      number,
      size,
      numberOfElements: found,
      totalElements: 12_000,
      totalPages: Math.ceil(12_000 / size),
      last: first + found > 12_000,
    });
    expect(body.content.map(({ contentId }: { contentId: number }) => contentId)).toEqual(
      Array.from({ length: found }, (_, n) => first + n),
    );
  });

  it('returns an empty page with the exact total past the end', async () => {
    for (const number of [60, 61, 2_147_483_647])
      expect((await page({ page: number, size: 200 })).body).toMatchObject({
        content: [],
        empty: true,
        totalElements: 12_000,
        last: true,
        number,
      });
  });
});

describe('a list returns 500 instead of an incomplete page', () => {
  const service = forAllTests(() => startService());
  let alias: string;
  beforeAll(async () => {
    alias = service.env['CONTENT_ALIAS'] ?? '';
    await service.client.upload({ name: 'kettle' });
    await service.indexed();
    // Otherwise the indexer repairs the alias within seconds.
    await pauseIndexing(service.database);
  });

  const others = ['closed', 'unassigned', 'second'];
  afterEach(async () => {
    await service.elasticsearch.indices.delete({ index: others.map((name) => `${alias}-${name}`), ignore_unavailable: true });
    expect((await service.client.list()).body).toMatchObject({ totalElements: 1 });
  });
  const expectListsFail = async (): Promise<void> => {
    for (const parameters of [{}, { prompt: 'kettle' }, { page: 1_000_000 }] as Record<string, string | number>[])
      expectProblem(await service.client.list(parameters), 500);
  };

  it('when an index of the alias is closed', async () => {
    await service.elasticsearch.indices.create({ index: `${alias}-closed`, aliases: { [alias]: {} } });
    await service.elasticsearch.indices.close({ index: `${alias}-closed` });
    await expectListsFail();
  });

  it('when a shard is not assigned to a node', async () => {
    await service.elasticsearch.indices.create({
      index: `${alias}-unassigned`,
      settings: { 'index.routing.allocation.require._name': 'nowhere' },
      aliases: { [alias]: {} },
      wait_for_active_shards: 0,
    });
    await expectListsFail();
  });

  it('when the alias has a second index', async () => {
    await service.elasticsearch.indices.create({ index: `${alias}-second`, ...INDEX_BODY, aliases: { [alias]: {} } });
    await expectListsFail();
  });
});

describe('the API without its index', () => {
  const api = forAllTests(() => startApiAlone({ LOG_LEVEL: 'warn' }));
  let index: string;
  beforeEach(async () => {
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    index = `${alias}-v1`;
    await api.elasticsearch.indices.create({ index, ...INDEX_BODY, aliases: { [alias]: {} } });
    await until('lists succeed', async () => (await api.client.list()).status === 200);
  });
  afterEach(() => api.elasticsearch.indices.delete({ index, ignore_unavailable: true }));

  it.each<[string, () => Promise<unknown>]>([
    ['alias is missing', () => api.elasticsearch.indices.deleteAlias({ index, name: api.env['CONTENT_ALIAS'] ?? '' })],
    ['index is missing', () => api.elasticsearch.indices.delete({ index })],
    ['index is closed', () => api.elasticsearch.indices.close({ index })],
  ])('returns 500 for lists when the %s, while reads and uploads succeed', async (_, breakIndex) => {
    const id = await api.client.upload();
    await breakIndex();
    const response = await api.client.list();
    expect(expectProblem(response, 500).detail).toBe('A data store that this request needs is unavailable.');
    expect(response.text).not.toMatch(/elastic|index|alias|shard|stack|node_modules/i);
    expect((await api.client.get(`/api/content/${id}`)).status).toBe(200);
    expect((await api.client.tryUpload()).status).toBe(201);
  });

  it('says in the log and on the page of operators, and not to the public, how to open an index that is closed', async () => {
    await api.elasticsearch.indices.close({ index });
    expectProblem(await api.client.list(), 500);
    const advice = `${index} is closed in Elasticsearch: open it with POST /${index}/_open`;
    expect(api.logged.join('')).toContain(advice);
    await until('the page says so', async () => (await problemsOnPage(api)).some((problem) => problem.includes(advice)));
    const { body, text } = await api.client.get('/health/ready');
    expect([body.status, text.includes(index)]).toEqual(['degraded', false]);
    await api.elasticsearch.indices.open({ index });
    await until('lists succeed', async () => (await api.client.list()).status === 200);
  });
});
