import { beforeAll, describe, expect, it } from '@jest/globals';
import { SORTABLE } from '@ugc/api/search/parameters';
import type { ContentPage } from '@ugc/api/search/page';
import type { ApiResponse } from '../support/http/client.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { expectErrors } from '../support/http/problems.ts';
import { TEST_SHARDS } from '../support/processes/environment.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';

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

  describe('returns the fields of the requested page', () => {
    it.each<[string, object]>([
      ['size=2', { totalPages: 27, number: 0, size: 2, numberOfElements: 2, first: true, last: false }],
      ['size=20&page=2', { totalPages: 3, number: 2, size: 20, numberOfElements: 13, first: false, last: true }],
      ['size=20&page=3', { totalPages: 3, number: 3, size: 20, numberOfElements: 0, first: false, last: true, empty: true }],
      ['size=20&page=99', { totalPages: 3, number: 99, size: 20, numberOfElements: 0, first: false, last: true, empty: true }],
      ['size=200&page=2147483647', { totalPages: 1, number: 2_147_483_647, size: 200, numberOfElements: 0, first: false, last: true }],
      ['size=200', { totalPages: 1, number: 0, size: 200, numberOfElements: 53, first: true, last: true }],
      ['size=1&page=52', { totalPages: 53, number: 52, size: 1, numberOfElements: 1, first: false, last: true }],
      ['size=0002&page=01', { totalPages: 27, number: 1, size: 2, numberOfElements: 2, first: false, last: false }],
    ])('with matching totals and positions for %s', async (query, envelope) => {
      const { body } = await list(`?${query}`);
      expect(body).toMatchObject({
        ...envelope,
        totalElements: 53,
        pageable: { pageNumber: body.number, pageSize: body.size, offset: body.number * body.size },
      });
      expect(body.content).toHaveLength(body.numberOfElements);
    });

    it.each([
      ['prompt=fortyfive&size=20&page=2', { totalElements: 45, totalPages: 3, numberOfElements: 5, last: true }],
      ['prompt=three&size=20', { totalElements: 3, totalPages: 1, numberOfElements: 3, first: true, last: true }],
      ['prompt=nothing+has+this&size=20', { totalElements: 0, totalPages: 0, numberOfElements: 0, first: true, last: true, empty: true }],
      ['prompt=nothing+has+this&size=20&page=5', { totalElements: 0, totalPages: 0, first: false, last: true, empty: true, number: 5 }],
    ])('with the totals of a prompt for %s', async (query, envelope) => expect((await list(`?${query}`)).body).toMatchObject(envelope));
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

  it.each(['unknown=1', '__proto__=x&constructor=y', 'from=-1&limit=x', '%FF=%FF'])('ignores unknown parameters: %s', async (query) =>
    expect((await list(`?${query}`)).body).toMatchObject({ totalElements: 53, size: 10, number: 0 }),
  );

  describe('returns 400 with the name of each invalid parameter', () => {
    const numbers = ['-1', '1.5', '1e3', '1,5', 'abc', '0x10', '%2B1', '+1', '1+', '%D9%A1', '1%00', '%22%22', 'NaN', 'null', '99999999999', '9007199254740993', '1'.repeat(400)]; // prettier-ignore
    it.each([...numbers, '2147483648'])('for the page number page=%s', async (value) =>
      expectErrors(await list(`?page=${value}`), ['page']),
    );
    it.each([...numbers, '0', '201', '1000000000'])('for the page size size=%s', async (value) =>
      expectErrors(await list(`?size=${value}`), ['size']),
    );

    it.each([
      'title', 'data', 'description', 'tags', '_score', '_id', '_doc', '_script', '__proto__', 'constructor', 'CREATEDAT', 'createdat', 'created_at', 'nameSort', 'deleted', 'words',
      'createdAt,up', 'createdAt,,', 'createdAt,asc,desc', 'createdAt;desc', 'createdAt:desc', 'createdAt+desc', '-createdAt', ',desc', ',', 'name,%20asc', '%20name',
      'name,asc&sort=title', '{"name":"asc"}', 'name%00',
    ])('and the valid sort fields for sort=%s', async (value) => {
      const response = await list(`?sort=${value}`);
      expectErrors(response, ['sort']);
      for (const field of SORTABLE) expect(response.body.errors[0].detail).toContain(field);
    }); // prettier-ignore

    it('when the sort field has another letter case, also with an empty direction', async () =>
      expectErrors(await list('?sort=Name,'), ['sort']));

    it('when sort is given more than four times', async () => expectErrors(await list(`?${'sort=name&'.repeat(5)}`), ['sort']));

    it.each([
      ['sort', 4, 'sort=%FF&'],
      ['tags', 32, 'tags=%FF&'],
    ])('when %s is given more than %i times, without checking the values', async (parameter, max, pair) => {
      const detail = `must be given at most ${max} times`;
      expect((await list(`?${pair.repeat(max + 1)}`)).body.errors).toEqual([{ parameter, detail }]);
      expect((await list(`?${pair.repeat(1_700)}`)).body.errors).toEqual([{ parameter, detail }]);
      expect((await list(`?${pair.repeat(max)}`)).body.errors).toEqual([{ parameter, detail: 'must be percent-encoded UTF-8' }]);
    });

    it.each<[string, string]>([
      ['of 1,001 characters', 'a'.repeat(1_001)],
      ['of 1,001 characters beyond the 16 bits', encodeURIComponent('😀'.repeat(1_001))],
      ['with U+0000', 'a%00b'],
      ['that is not UTF-8', '%FF'],
      ['with an encoded surrogate', '%ED%A0%80'],
      ['with a broken escape', '100%'],
    ])('for a prompt %s', async (_, prompt) => expectErrors(await list(`?prompt=${prompt}`), ['prompt']));

    it.each(['page', 'size', 'prompt'])('when %s is given twice, even with equal or blank values', async (name) => {
      for (const values of [['1', '2'], ['1', '1'], ['', '']]) expectErrors(await list(`?${name}=${values[0]}&${name}=${values[1]}`), [name]); // prettier-ignore
    });

    it('for all invalid parameters of a request at once', async () => {
      expectErrors(await list('?page=-1&size=0&sort=x&prompt=a%00&prompt=b'), ['page', 'prompt', 'size', 'sort']);
    });
  });

  it.each(['0.30000000000000004', '4.000000000000000000000', '0.0000010000000000000001'])(
    'accepts decimal digits of any precision in minRating=%s',
    async (minRating) => {
      expect((await service.client.list({ minRating })).status).toBe(200);
    },
  );

  it('accepts a prompt of 1,000 characters, counted as Unicode code points', async () => {
    for (const character of ['a', '😀']) expect((await service.client.list({ prompt: character.repeat(1_000) })).status).toBe(200);
  });

  describe('sorts items', () => {
    const FOLDED = ['10 of them', 'äpple', 'apple', 'BANANA', 'banana', 'élan', 'Kettle', 'Zebra'];
    const nameRank = (name = ''): number => [0, 1, 1, 2, 2, 3, 4, 5][FOLDED.indexOf(name)] ?? NaN;
    const creatorRank = (id = 0): number => [NaN, 0, 1, 2][id] ?? NaN;
    const mean = (ratings: number[] = []): number => ratings.reduce((sum, each) => sum + each, 0) / (ratings.length || 1);
    const KEYS: Record<Exclude<(typeof SORTABLE)[number], 'relevance' | 'best' | 'contentId'>, (item: StoredFields) => number> = {
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
    it('by every field of SORTABLE', () => expect(['relevance', 'best', ...fields].sort()).toEqual(SORTABLE.toSorted()));

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

    it.each(['createdAt,desc', 'name', 'avgRating,desc', 'relevance', 'best', 'creatorId&sort=version,desc'])(
      'by %s so that pages neither repeat nor skip an item',
      async (sort) => {
        for (const prompt of ['', 'fortyfive']) {
          const complete = idsOf(await list(`?size=200&prompt=${prompt}&sort=${sort}`));
          const walked: number[] = [];
          for (let page = 0; page < 8; page += 1) walked.push(...idsOf(await list(`?size=7&page=${page}&prompt=${prompt}&sort=${sort}`)));
          expect(walked).toEqual(complete);
          expect(new Set(walked).size).toBe(prompt === '' ? 53 : 45);
        }
      },
    );
  });
});
