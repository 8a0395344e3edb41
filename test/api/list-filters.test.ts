import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SORTABLE } from '@ugc/api/search/parameters';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { Client } from '../support/http/client.ts';
import { createEnvironment, USERS } from '../support/processes/environment.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { createVersion2Index } from '../support/indices/index-version-2.ts';
import { createVersion4Index } from '../support/indices/index-version-4.ts';
import { runs } from '../support/jest/long.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

describe('the filters of a list', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'none', creatorId: USERS.ada, createdAt: '2026-03-01T00:00:00Z' },
      { name: 'red', creatorId: USERS.ada, tags: ['red'], ratings: [5, 4], downloads: 10, createdAt: '2026-03-01T23:59:59.999Z' },
      { name: 'blue', creatorId: USERS.boris, tags: ['Red', 'azure blue'], ratings: [3], downloads: 99, createdAt: '2026-03-02T00:00:00Z' },
      {
        name: 'both',
        creatorId: USERS['Chloé Dubois'],
        tags: ['red', 'azure blue'],
        ratings: [4],
        downloads: 100,
        createdAt: '2026-03-02T00:00:00.001Z',
        updatedAt: '2026-04-01T00:00:00Z',
      },
    ]);
    await service.indexed();
  });

  it.each([
    ['', ['none', 'red', 'blue', 'both']],
    ['tags=red', ['red', 'both']],
    ['tags=red&tags=azure+blue', ['both']],
    ['tags=azure', []],
    ['tags=RED', []],
    ['tags=&tags[]=', ['none', 'red', 'blue', 'both']],
    ['tags=+', []],
    ['tags=+&tags=red', []],
    ['anyTags=red&anyTags=azure%20blue', ['red', 'blue', 'both']],
    ['anyTags=azure+blue&excludeTags=red', ['blue']],
    ['excludeTags=red&excludeTags=Red', ['none']],
    [`creatorId=${USERS.boris}`, ['blue']],
    [`creatorId=${USERS.boris}&creatorId=${USERS.ada}`, ['none', 'red', 'blue']],
    [`excludeCreatorId=${USERS.boris}&excludeCreatorId=${USERS.ada}`, ['both']],
    [`creatorId=${USERS.boris}&excludeCreatorId=${USERS.boris}`, []],
    ['minRating=0', ['none', 'red', 'blue', 'both']],
    ['minRating=4', ['red', 'both']],
    ['minRating=4.5', ['red']],
    ['minDownloads=10&maxDownloads=99', ['red', 'blue']],
    ['minDownloads=10&maxDownloads=10', ['red']],
    ['maxDownloads=0', ['none']],
    ['minDownloads=9007199254740991', []],
    ['createdFrom=2026-03-01&createdTo=2026-03-02', ['none', 'red']],
    ['createdFrom=2026-03-01T23:59:59.999Z&createdTo=2026-03-02T00:00:00.001Z', ['red', 'blue']],
    ['updatedFrom=2026-03-02', ['blue', 'both']],
    ['updatedTo=2026-04-01', ['none', 'red', 'blue']],
  ])('match: %s', async (query, names) => {
    expect(await listedNames(query)).toEqual(names);
  });

  it.each([
    ['a date, which begins at midnight UTC', '2026-03-02'],
    ['UTC', '2026-03-02T00:00:00Z'],
    ['an offset of zero, as in our own times', '2026-03-02T00:00:00%2B00:00'],
    ['an offset whose plus is not percent-encoded', '2026-03-02T00:00:00+00:00'],
    ['an offset to the east', '2026-03-02T05:45:00%2B05:45'],
    ['an offset to the west', '2026-03-01T13:00:00.000-11:00'],
    ['a fraction of a millisecond, which is rounded up', '2026-03-01T23:59:59.9990000001Z'],
    ['whole minutes and UTC, as Java prints them', '2026-03-02T00:00Z'],
    ['whole minutes and an offset', '2026-03-02T01:00%2B01:00'],
    ['whole minutes and an offset whose plus is not percent-encoded', '2026-03-02T00:00+00:00'],
    ['microseconds and an offset, as Python prints them', '2026-03-02T00:00:00.000000%2B00:00'],
    ['ticks of 100 nanoseconds, as .NET prints them', '2026-03-02T00:00:00.0000000Z'],
  ])('understand a time with %s', async (_, time) => {
    expect(await listedNames(`createdFrom=${time}`)).toEqual(['blue', 'both']);
    expect(await listedNames(`createdTo=${time}`)).toEqual(['none', 'red']);
  });

  it.each(['updatedFrom', 'updatedTo'])('understand whole minutes in %s too', async (parameter) => {
    const [withSeconds, without] = [`${parameter}=2026-03-02T00:00:00Z`, `${parameter}=2026-03-02T00:00Z`];
    expect(await listedNames(without)).toEqual(await listedNames(withSeconds));
  });

  it.each(['\u0020', '\u200b', '\u3164', '\u2800'])('find the items that were stored with the blank tag %j', async (tag) => {
    const [id] = await storeContent(service.database, [{ name: 'blank', tags: [tag], createdAt: '2026-05-01T00:00:00Z' }]);
    await service.indexed();
    const value = encodeURIComponent(tag);
    for (const query of [`tags=${value}`, `anyTags[]=${value}`]) expect(await listedNames(query)).toEqual(['blank']);
    expect(await listedNames(`excludeTags=${value}`)).not.toContain('blank');
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
  });

  it('understand the times that lists contain', async () => {
    const { body } = await service.client.list({ prompt: 'blue', tags: 'Red' });
    const [{ createdAt } = { createdAt: '' }] = body.content;
    expect(createdAt).toMatch(/\+00:00$/);
    expect(await listedNames(`createdFrom=${createdAt}&createdTo=2026-03-02T00:00:00.001Z`)).toEqual(['blue']);
  });

  it.each([
    ['0000-01-01', 4],
    ['0000-01-01T00:00:00%2B23:59', 4],
    ['1969-12-31T23:59:59.999Z', 4],
    ['1970-01-01T00:00:02Z', 4],
    ['9999-12-31T23:59:59.9999-23:59', 0],
  ])('accept times of every year: %s', async (time, after) => {
    expect(await listedNames(`createdFrom=${time}`)).toHaveLength(after);
    expect(await listedNames(`createdTo=${time}`)).toHaveLength(4 - after);
  });

  it.each(['tags', 'anyTags', 'excludeTags', 'creatorId', 'excludeCreatorId'])('take 32 values of %s', async (parameter) => {
    expect((await service.client.get(`/api/content?${repeated(parameter, 32)}`)).status).toBe(200);
    expect((await service.client.get(`/api/content?${repeated(parameter, 33)}`)).body.errors).toEqual([
      { parameter, detail: 'must be given at most 32 times' },
    ]);
  });

  const TIME = /^must be a date such as .*, or a time with an offset such as/;
  const COUNT = 'must be an integer from 0 to 9007199254740991';
  const USER = 'must be an integer from 1 to 9007199254740991';
  const RATING = 'must be a number from 0 to 5 in decimal notation';
  it.each([
    ['creatorId=abc', 'creatorId', USER],
    ['creatorId=0', 'creatorId', USER],
    ['creatorId=1&creatorId=-2', 'creatorId', USER],
    ['creatorId=9007199254740992', 'creatorId', USER],
    ['excludeCreatorId=1,2', 'excludeCreatorId', USER],
    ['excludeCreatorId=1&excludeCreatorId=0', 'excludeCreatorId', USER],
    ['minRating=5.1', 'minRating', RATING],
    ['minRating=-1', 'minRating', RATING],
    ['minRating=1e0', 'minRating', RATING],
    ['minRating=1&minRating=2', 'minRating', 'must be given only once'],
    [`tags=${'x'.repeat(65)}`, 'tags', /^must have at most 64 characters/],
    ['tags=a%00', 'tags', 'must not contain U+0000'],
    [`anyTags=a&anyTags=${'x'.repeat(65)}`, 'anyTags', /^must have at most 64 characters/],
    ['anyTags=%FF', 'anyTags', 'must be percent-encoded UTF-8'],
    [`excludeTags=${'x'.repeat(65)}`, 'excludeTags', /^must have at most 64 characters/],
    ['excludeTags=a%00', 'excludeTags', 'must not contain U+0000'],
    ['minDownloads=-1', 'minDownloads', COUNT],
    ['minDownloads=1.5', 'minDownloads', COUNT],
    ['minDownloads=1&minDownloads=1', 'minDownloads', 'must be given only once'],
    ['maxDownloads=1e3', 'maxDownloads', COUNT],
    ['maxDownloads=9007199254740992', 'maxDownloads', COUNT],
    ['minDownloads=11&maxDownloads=10', 'minDownloads', 'must not be greater than maxDownloads'],
    ['createdFrom=yesterday', 'createdFrom', TIME],
    ['createdFrom=2026-02-30', 'createdFrom', TIME],
    ['createdFrom=2026-11', 'createdFrom', TIME],
    ['createdFrom=20261120', 'createdFrom', TIME],
    ['createdFrom=1795132800000', 'createdFrom', TIME],
    ['createdFrom=10000-01-01', 'createdFrom', TIME],
    ['createdFrom=2026-11-20T09:30:00', 'createdFrom', TIME],
    ['createdFrom=2026-11-20T09:30', 'createdFrom', TIME],
    ['updatedTo=2026-11-20T09Z', 'updatedTo', TIME],
    ['createdTo=2026-11-20T24:00Z', 'createdTo', TIME],
    ['createdFrom=2026-11-20+09:30', 'createdFrom', TIME],
    ['createdTo=2026-11-20T24:00:00Z', 'createdTo', TIME],
    ['createdTo=2026-11-20T09:30:00+0000', 'createdTo', TIME],
    ['createdTo=2026-11-20T09:30:00%2B24:00', 'createdTo', TIME],
    ['createdTo=2026-11-20&createdTo=2026-11-21', 'createdTo', 'must be given only once'],
    ['updatedFrom=now-1d', 'updatedFrom', TIME],
    ['updatedTo=2026-11-20||/d', 'updatedTo', TIME],
    ['createdFrom=2026-11-20&createdTo=2026-11-19', 'createdFrom', 'must be before createdTo'],
    ['createdFrom=2026-11-20T01:00:00%2B01:00&createdTo=2026-11-20', 'createdFrom', 'must be before createdTo'],
    ['updatedFrom=2026-11-20&updatedTo=2026-11-20', 'updatedFrom', 'must be before updatedTo'],
    ['include=thumbnail', 'include', 'must be tags'],
  ])('are 400 when they are not valid: %s', async (query, parameter, detail) => {
    const response = await service.client.get(`/api/content?${query}`);
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ parameter, detail: typeof detail === 'string' ? detail : expect.stringMatching(detail) }]);
  });

  it('are 400 with an error for each range that is empty', async () => {
    const { body } = await service.client.get('/api/content?minDownloads=2&maxDownloads=1&updatedFrom=2026-01-02&updatedTo=2026-01-01');
    expect(body.errors.map((error: { parameter: string }) => error.parameter)).toEqual(['minDownloads', 'updatedFrom']);
  });

  async function listedNames(query: string): Promise<string[]> {
    const { status, body } = await service.client.get(`/api/content?${query}&sort=createdAt`);
    expect(status).toBe(200);
    return body.content.map(({ name }: { name: string }) => name);
  }

  function repeated(parameter: string, times: number): string {
    return Array.from({ length: times }, (_, n) => `${parameter}=${n + 1}`).join('&');
  }
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
const someUsers = fc.shuffledSubarray([...Object.values(USERS), 999], { minLength: 1, maxLength: 2 });

/** Each filter: its values, and what it means. */
const FILTERS = {
  tags: rule(someTags, (item, tags) => tags.every((tag) => item.tags.includes(tag))),
  anyTags: rule(someTags, (item, tags) => tags.some((tag) => item.tags.includes(tag))),
  excludeTags: rule(someTags, (item, tags) => !tags.some((tag) => item.tags.includes(tag))),
  creatorId: rule(someUsers, (item, ids) => ids.includes(item.creatorId)),
  excludeCreatorId: rule(someUsers, (item, ids) => !ids.includes(item.creatorId)),
  minRating: rule(fc.constantFrom(0, 1, 2.3, 3, 4.3, 4.5, 5), (item, least) => averageOf(item) >= least),
  minDownloads: rule(anyDownloads, (item, least) => item.downloads >= least),
  maxDownloads: rule(anyDownloads, (item, most) => item.downloads <= most),
  createdFrom: rule(anyTime, (item, from) => Date.parse(item.createdAt) >= from),
  createdTo: rule(anyTime, (item, to) => Date.parse(item.createdAt) < to),
  updatedFrom: rule(anyTime, (item, from) => Date.parse(item.updatedAt) >= from),
  updatedTo: rule(anyTime, (item, to) => Date.parse(item.updatedAt) < to),
};
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

const OLDER_INDICES: Record<number, typeof createVersion2Index> = { 2: createVersion2Index, 4: createVersion4Index };

describe.each([
  { version: MAPPING_VERSION, lists: runs(40, 120) },
  { version: 4, lists: runs(12, 40) },
  { version: 2, lists: runs(12, 40) },
])('all lists with filters over an index of mapping version $version', ({ version, lists }) => {
  const samples = fc.sample(anyItem, { numRuns: 60, seed: 20261122 });
  let service: Service;
  let items: Item[];
  beforeAll(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    const ids = await storeContent(
      stores.database,
      samples.map(({ isDeleted: _, ...fields }) => fields),
    );
    items = samples.map((fields, position) => ({ id: ids[position] ?? NaN, ...fields }));
    await OLDER_INDICES[version]?.({ ...stores, alias: env['CONTENT_ALIAS'] ?? '' });
    await close();
    service = await startService(env);
    for (const { id, creatorId } of items.filter(({ isDeleted }) => isDeleted)) {
      expect((await service.client.send('DELETE', `/api/content/${id}`, undefined, creatorId)).status).toBe(204);
    }
    await service.indexed();
  });
  afterAll(() => service.stop());

  it('contain exactly the items that match the prompt and every filter, whatever the sort', async () => {
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
    // Older indices do not have the quality of their items.
    const isSearchable = ({ sort }: List): boolean => version === MAPPING_VERSION || sort.every(([field]) => field !== 'best');
    await fc.assert(fc.asyncProperty(anyList.filter(isSearchable), isComplete), { numRuns: lists, seed: 20261122 });
    // Most lists must not be empty, or they would say little.
    expect(found).toBeGreaterThan(lists / 3);
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
  const isEmptyTime = (from: FilterName, to: FilterName): boolean => valueOf(from, -Infinity) >= valueOf(to, Infinity);
  const isEmptyCount = valueOf('minDownloads', -Infinity) > valueOf('maxDownloads', Infinity);
  return isEmptyCount || isEmptyTime('createdFrom', 'createdTo') || isEmptyTime('updatedFrom', 'updatedTo');
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
