import type { estypes } from '@elastic/elasticsearch';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@ugc/api/limits/caller';
import { Shares } from '@ugc/api/limits/shares';
import { createKnownLists, readPage, type Depths, type PageSearch } from '@ugc/api/search/pages/read-page';
import { behind, lastPlace, type Place } from '@ugc/api/search/pages/place';
import { Session } from '@ugc/api/search/session';
import { buildQuery } from '@ugc/api/search/query';
import { buildSort, sortsByBest, weighByQuality } from '@ugc/api/search/sort';
import { filterClauses, type Filters } from '@ugc/api/search/filters';
import type { SortField, SortKey } from '@ugc/api/search/parameters';
import type { Definitions } from '@ugc/fields/definition';
import { indexedFields } from '@ugc/fields/index-fields';
import { INDEX_BODY, mappedFields } from '@ugc/shared/contracts/content-index';
import { mappingsOf } from '@ugc/shared/contracts/index-settings';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { randomBytes } from 'node:crypto';
import { seededFractions } from '../relevance/random.ts';
import { startAnotherApi, startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { callerWithoutLimits } from '../support/search/searching.ts';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { rows, runs } from '../support/jest/long.ts';
import { expectProblem } from '../support/http/problems.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import { newestIndex } from '../support/search/newest-index.ts';

/** So small that a few thousand items need several rounds. */
const NEVER = new AbortController().signal;
const DEPTHS: Depths = { plain: 50, section: 200, counted: 100 };

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord'];

const DECLARED: Definitions = new Map(
  (['number', 'keyword', 'date'] as const).map((type) => [
    `${type}Field`,
    { type, many: type === 'number', label: '', searched: false, facet: false, required: false },
  ]),
);

/** A third of the items have no value of a declared field. */
function fieldsOf(random: () => number): object {
  const number = Array.from({ length: 1 + Math.floor(random() * 2) }, () => Math.floor(random() * 5) / 2);
  const values = {
    numberField: number,
    keywordField: WORDS[Math.floor(random() * 3)] ?? '',
    dateField: `2026-01-0${1 + Math.floor(random() * 3)}`,
  };
  const present = Object.entries(values).filter(() => random() < 0.67);
  const fields = indexedFields(Object.fromEntries(present), DECLARED, String);
  return fields ? { fields } : {};
}

/** Four fifths of the items are tied on downloads and rating, three have the same time, and some values are missing. */
function documentOf(contentId: number, random: () => number): object {
  const popular = random() < 0.2;
  const text = Array.from({ length: 1 + Math.floor(random() * 4) }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)]).join(' ');
  const creatorId = 1 + Math.floor(random() * 7);
  const createdAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(contentId / 3) * 1_000).toISOString();
  return {
    contentId,
    creatorId,
    creatorName: `user ${creatorId}`,
    name: text,
    nameSort: text,
    description: text,
    tags: [popular ? 'popular' : 'other'],
    downloadsCount: popular ? Math.floor(1 / (random() + 0.001)) : 0,
    avgRating: popular ? Math.floor(random() * 50) / 10 : 0,
    createdAt,
    updatedAt: createdAt,
    version: 1,
    deleted: contentId % 50 === 0,
    quality: popular ? random() : 3.5,
    qualityFactor: popular ? 0.75 + random() / 2 : 1,
    // Of a declared field with the name of what Elasticsearch adds to each hit.
    values: { sort: [5, 7] },
    ...fieldsOf(random),
    ...(random() < 0.9 && { creatorNameSort: `user ${creatorId}`, latestDownloadsCount: Math.floor(random() * 3) }),
  };
}

const MAPPINGS = mappingsOf({ INDEX_DATA: true }, DECLARED);
const MAPPED = new Set(mappedFields(MAPPINGS.properties));

type AnyPage = { list: List; from: number; size: number; plain: number; counted: number };

type List = { prompt?: string; filters?: Filters; sort: string[] };

function searchOf({ prompt = '', filters = {}, sort }: List): Pick<PageSearch, 'query' | 'counted' | 'sort'> {
  const keys = sort.map((key): SortKey => {
    const [field, direction] = key.split(',');
    return { field: field as SortField, direction: direction as SortKey['direction'] };
  });
  const query = {
    bool: {
      filter: [buildQuery(undefined, filterClauses(filters, newestIndex()))],
      must: prompt === '' ? [] : [{ match: { words: prompt } }],
    },
  };
  const hasPrompt = prompt !== '';
  return {
    query: hasPrompt && sortsByBest(keys) ? weighByQuality(query) : query,
    counted: query,
    sort: buildSort(keys, { hasPrompt, hasScores: hasPrompt, index: { fields: MAPPED }, declared: DECLARED }),
  };
}

describe.each([1, 3])('pages far inside a list of an index with %s shards', (shards) => {
  let elasticsearch: Elasticsearch;
  const alias = `t${randomBytes(6).toString('hex')}`;
  const write = async (ids: number[], seed: number): Promise<void> => {
    const random = seededFractions(seed);
    const operations = ids.flatMap((id) => [{ index: { _id: String(id) } }, documentOf(id, random)]);
    expect((await elasticsearch.bulk({ index: alias, operations, refresh: true })).errors).toBe(false);
  };
  beforeAll(async () => {
    elasticsearch = connectElasticsearch(process.env['TEST_ELASTICSEARCH_URL'] ?? '', 30_000);
    const settings = { ...INDEX_BODY.settings, number_of_shards: shards };
    await elasticsearch.indices.create({ index: alias, mappings: MAPPINGS, settings });
    // Several segments.
    for (let first = 1; first <= 2_001; first += 1_000) await write(range(first, first + 1_000), first);
  });
  afterAll(async () => {
    await elasticsearch.indices.delete({ index: alias });
    await elasticsearch.close();
  });
  afterEach(() => until('all points in time are closed', async () => (await openContexts(elasticsearch, alias)) === 0));

  const knownLists = createKnownLists();

  const sessionOf = (searched: Elasticsearch, caller: Caller): Session => {
    const source = { elasticsearch: searched, alias, limits: { PAGE_MAX_BYTES: 33_554_432, LIST_TIMEOUT_MS: 3_000 } };
    const signal = AbortSignal.any([caller.disconnected, AbortSignal.timeout(60_000)]);
    return new Session(source, caller, { index: newestIndex(alias, shards), signal });
  };

  const watched = (see: (request: estypes.SearchRequest) => void): Elasticsearch => {
    const search = async (request: estypes.SearchRequest, options: object) => {
      see(request);
      return elasticsearch.search(request, options);
    };
    return Object.create(elasticsearch, { search: { value: search } }) as Elasticsearch;
  };

  const read = async (
    list: List,
    from: number,
    size: number,
    depths = DEPTHS,
    disconnected = NEVER,
  ): Promise<{ ids: number[]; total: number }> => {
    const session = sessionOf(elasticsearch, callerWithoutLimits(disconnected));
    const search = {
      ...searchOf(list),
      from,
      size,
      preference: JSON.stringify([list.filters, list.prompt]),
      knownLists,
      isShared: list.prompt === undefined,
      hasTotal: true,
    };
    const { response, ...page } = await readPage(session, search, depths);
    const { hits } = JSON.parse(Buffer.from(response).toString());
    const ids = hits.hits.map((hit: { _id: string }) => Number(hit._id));
    return { ids: page.reversed ? ids.reverse() : ids, total: page.total ?? hits.total.value };
  };

  /** All items of the list, by the paging of Elasticsearch. */
  const walk = async (list: List): Promise<number[]> => {
    const statistics = { search_type: 'dfs_query_then_fetch' } as const;
    const { query, sort } = searchOf(list);
    const { hits } = await elasticsearch.search({ index: alias, query, sort, ...statistics, size: 10_000, _source: false });
    return hits.hits.map((hit) => Number(hit._id));
  };

  const createdAtMsOf = async (id: number | undefined): Promise<number> => {
    const { _source } = await elasticsearch.get<{ createdAt: string }>({ index: alias, id: String(id) });
    return Date.parse(_source?.createdAt ?? '');
  };

  const LISTS: [string, List][] = [
    ['a unique number', { sort: ['contentId,asc'] }],
    ['times that three items share, newest first', { sort: ['createdAt,desc'] }],
    ['times that three items share, oldest first', { sort: ['createdAt,asc'] }],
    ['a number on which four fifths are tied, highest first', { sort: ['downloadsCount,desc'] }],
    ['a number on which four fifths are tied, lowest first', { sort: ['downloadsCount,asc'] }],
    ['a number on which all are tied', { sort: ['version,desc'] }],
    ['numbers that some items do not have, highest first', { sort: ['latestDownloadsCount,desc'] }],
    ['numbers that some items do not have, lowest first', { sort: ['latestDownloadsCount,asc', 'createdAt,desc'] }],
    ['declared numbers that some items do not have, highest first', { sort: ['fields.numberField,desc'] }],
    ['declared numbers that some items do not have, lowest first', { sort: ['fields.numberField,asc', 'fields.dateField,desc'] }],
    ['declared texts that some items do not have', { sort: ['fields.keywordField,asc', 'fields.numberField,desc'] }],
    ['declared days that some items do not have', { sort: ['fields.dateField,asc'] }],
    ['text, first to last', { sort: ['name,asc'] }],
    ['text, last to first', { sort: ['name,desc'] }],
    ['text that some items do not have, first to last', { sort: ['creatorName,asc'] }],
    ['text that some items do not have, last to first', { sort: ['creatorName,desc', 'name,asc'] }],
    ['four keys in different directions', { sort: ['avgRating,desc', 'creatorName,asc', 'downloadsCount,desc', 'name,desc'] }],
    ['quality, without a prompt', { sort: ['best,desc'] }],
    ['relevance and quality', { prompt: 'amber birch cedar', sort: ['best,desc'] }],
    ['relevance and quality, lowest first', { prompt: 'amber birch', sort: ['best,asc', 'createdAt,desc'] }],
    ['a name, then relevance and quality', { prompt: 'amber', sort: ['name,asc', 'best,desc'] }],
    ['a filtered number', { filters: { tags: ['popular'] }, sort: ['avgRating,desc'] }],
    ['a number, with a prompt and filters', { prompt: 'amber birch', filters: { creatorId: [3], minRating: 0 }, sort: ['avgRating,asc'] }],
    ['relevance with many ties, best first', { prompt: 'amber', sort: ['relevance,desc'] }],
    ['relevance with many ties, worst first', { prompt: 'amber', sort: ['relevance,asc'] }],
    ['relevance of several words', { prompt: 'amber birch cedar', sort: ['relevance,desc', 'createdAt,desc'] }],
    ['relevance, then text that some items do not have', { prompt: 'amber birch', sort: ['relevance,desc', 'creatorName,asc'] }],
    ['relevance of several words, filtered', { prompt: 'birch amber', filters: { tags: ['other'] }, sort: ['relevance,asc', 'name,asc'] }],
    ['relevance after a number', { prompt: 'amber birch', sort: ['avgRating,desc', 'relevance,desc'] }],
    ['relevance when all scores are equal', { prompt: '-fjord', sort: ['relevance,desc'] }],
  ];

  it.each(rows(10, LISTS))('make up the complete list, sorted by %s', async (_, list) => {
    const expected = await walk(list);
    const size = 17;
    for (let page = 0; page <= Math.ceil(expected.length / size) + 1; page += 13) {
      const from = page * size;
      expect({ from, ...(await read(list, from, size)) }).toEqual({ from, ids: expected.slice(from, from + size), total: expected.length });
    }
  });

  it('are the same, whatever the sort, the place and the size', async () => {
    const walks = new Map<List, number[]>();
    for (const [, list] of LISTS) walks.set(list, await walk(list));
    const anyPage = fc.record({
      list: fc.constantFrom(...walks.keys()),
      from: fc.nat(3_300),
      size: fc.integer({ min: 1, max: 20 }),
      plain: fc.nat(200),
      counted: fc.constantFrom(1, 100, 50_000),
    });
    const isSame = async ({ list, from, size, ...depths }: AnyPage): Promise<void> => {
      const all = walks.get(list) ?? [];
      const page = await read(list, from, size, { section: 200, ...depths });
      expect(page).toEqual({ ids: all.slice(from, from + size), total: all.length });
    };
    await fc.assert(fc.asyncProperty(anyPage, isSame), { numRuns: runs(50, 150), seed: 20261122 });
  });

  /** A list that counts as long. `expectPage` reads ten items of it. */
  const longList = async (sort: string) => {
    const list = { sort: [sort], filters: { minRating: 0 } };
    const expected = await walk(list);
    const depths = { ...DEPTHS, plain: 1_000, counted: 1 };
    const expectPage = async (from: number): Promise<void> =>
      expect(await read(list, from, 10, depths)).toEqual({ ids: expected.slice(from, from + 10), total: expected.length });
    return { expected, preference: JSON.stringify([list.filters, undefined]), expectPage };
  };

  it('of a long list, the oldest first, are searched for within the times that were read before, and elsewhere if these lack items', async () => {
    const { expected, preference, expectPage } = await longList('createdAt,asc');
    for (const from of [0, 0, 10, 900, 0, 30, 980]) await expectPage(from);
    const [first, last] = await Promise.all([0, 9].map((rank) => createdAtMsOf(expected[rank])));
    expect(knownLists.get(preference)?.asc).toEqual({ from: 0, to: 10, firstMs: first, lastMs: last });
    // As if all items that were read have been deleted since.
    knownLists.set(preference, { isLong: true, asc: { from: 0, to: 10, firstMs: 1, lastMs: 2 } });
    await expectPage(20);
    expect(knownLists.get(preference)?.asc).toMatchObject({ from: 20, to: 30 });
  });

  it('of a long list, the newest first, are searched for within times only if they are deep, and elsewhere if these lack items', async () => {
    const { expected, preference, expectPage } = await longList('createdAt,desc');
    knownLists.delete(preference);
    await expectPage(0);
    expect(knownLists.get(preference)).toEqual({ isLong: true });
    // They have no items at all.
    const none = { from: 0, to: 10, firstMs: Date.UTC(9_000), lastMs: Date.UTC(9_000) };
    knownLists.set(preference, { isLong: true, desc: none });
    await expectPage(100);
    expect(knownLists.get(preference)?.desc).toEqual(none);
    await expectPage(300);
    const [first = 0, last = 0] = await Promise.all([300, 309].map((rank) => createdAtMsOf(expected[rank])));
    const times = { from: 300, to: 310, firstMs: first, lastMs: last };
    expect(knownLists.get(preference)?.desc).toEqual(times);
    for (const from of [310, 900, 300, 980]) await expectPage(from);
    expect(knownLists.get(preference)?.desc).toEqual(times);
    // As if many items had been added before those of the page: all items of the list are within its times.
    knownLists.set(preference, { isLong: true, desc: { ...times, lastMs: times.lastMs - 10 ** 9 } });
    await expectPage(300);
    expect(knownLists.get(preference)?.desc).toEqual(times);
  });

  it('of a walk make up the complete list, and large ones are searched for within the times of the page before', async () => {
    const list = { sort: ['createdAt,desc'] };
    const { query, ...search } = searchOf(list);
    const expected = await walk(list);
    const ids: number[] = [];
    const searches: boolean[][] = [];
    let place: Place | undefined;
    do {
      const withinTimes: boolean[] = [];
      const session = sessionOf(
        watched((request) => withinTimes.push(JSON.stringify(request.query).includes('{"range":{"createdAt":{"gte"'))),
        callerWithoutLimits(NEVER),
      );
      const page: PageSearch = { ...search, query, from: 0, size: 300, preference: 'walk', knownLists, isShared: false, hasTotal: false };
      const found = await readPage(
        session,
        place ? { ...page, query: behind(query, search.sort, place), afterMs: place.createdAtMs } : page,
        {
          ...DEPTHS,
          plain: 1_000,
        },
      );
      ids.push(...JSON.parse(found.response.toString()).hits.hits.map(({ _id }: { _id: string }) => Number(_id)));
      searches.push(withinTimes);
      place = lastPlace(found, page.size);
    } while (place);
    expect(ids).toEqual(expected);
    const middle = searches.slice(2, -1);
    expect(middle.length).toBeGreaterThan(5);
    expect(middle.every(([first, ...more]) => first && more.length === 0)).toBe(true);
  });

  it('of a list without a total, the oldest first, cost one search that counts one item more, also after the list shrank', async () => {
    const list = { sort: ['createdAt,asc'], filters: { minRating: 0 } };
    const { length } = await walk(list);
    const preference = JSON.stringify([list.filters, undefined]);
    const readSlice = async (from: number) => {
      const lists = new Shares({ user: Infinity, process: Infinity });
      const counted: unknown[] = [];
      const session = sessionOf(
        watched(({ track_total_hits }) => counted.push(track_total_hits)),
        callerWithoutLimits(NEVER, lists),
      );
      const page = { ...searchOf(list), from, size: 10, preference, knownLists, isShared: true, hasTotal: false };
      const { response } = await readPage(session, page, { ...DEPTHS, plain: 10_000 });
      expect(lists.used).toBe(response.byteLength);
      return counted;
    };
    knownLists.delete(preference);
    expect(await readSlice(0)).toEqual([11]);
    expect(knownLists.get(preference)?.asc).toMatchObject({ from: 0, to: 10 });
    expect(await readSlice(0)).toEqual([11]);
    const last = length - 5;
    // As if the list had had more items behind its last page, and all that were read have been deleted since.
    knownLists.set(preference, { isLong: true, asc: { from: 0, to: 10, firstMs: 1, lastMs: 2 } });
    expect(await readSlice(last)).toEqual([last + 11, last + 11]);
    expect(knownLists.get(preference)?.asc).toBeUndefined();
    expect(await readSlice(last)).toEqual([last + 11]);
    expect(knownLists.get(preference)?.asc).toBeUndefined();
  });

  it('contain no item twice and lack none while items change', async () => {
    let changing = true;
    const change = async (): Promise<void> => {
      for (let seed = 1; changing; seed += 1) await write(range(seed % 2_000, (seed % 2_000) + 200), 100_000 + seed);
    };
    const changes = change();
    try {
      for (let n = 0; n < 60; n += runs(3, 1)) {
        const [, list] = LISTS[n % LISTS.length] ?? [];
        if (!list) continue;
        const from = 60 + n * 48;
        const { ids, total } = await read(list, from, 20);
        expect(new Set(ids).size).toBe(Math.max(0, Math.min(20, total - from)));
      }
    } finally {
      changing = false;
      await changes;
    }
  });

  it('end their points in time when the client disconnects', async () => {
    const disconnected = AbortSignal.abort(new Error('disconnected'));
    await expect(read(NEWEST, 2_000, 10, DEPTHS, disconnected)).rejects.toThrow('disconnected');
  });
});

describe('the deep pages of one API process', () => {
  const DEEP = '/api/content?page=1000&size=200';
  let proxy: ChaosProxy;
  let api: ApiAlone;
  /** While it is set, deep pages stay active: the request for their point in time does not leave the API. */
  let held: { count: number; end: Promise<void> } | undefined;
  beforeAll(async () => {
    proxy = await ChaosProxy.before(process.env['TEST_ELASTICSEARCH_URL'] ?? '');
    api = await startApiAlone({ ELASTICSEARCH_URL: proxy.url }, (elasticsearch) => {
      const openPointInTime = async (request: Parameters<Elasticsearch['openPointInTime']>[0]) => {
        if (held) held.count += 1;
        await held?.end;
        return elasticsearch.openPointInTime(request);
      };
      return Object.create(elasticsearch, { openPointInTime: { value: openPointInTime } });
    });
    await api.elasticsearch.indices.create({ index: `${api.env['CONTENT_ALIAS']}-v1`, ...INDEX_BODY, aliases: { [alias()]: {} } });
  });
  afterEach(async () => {
    held = undefined;
    proxy.restore();
    await until('all deep pages have ended', async () => (await active()) === 0);
    expect((await api.client.get(DEEP)).status).toBe(200);
    await until('all points in time are closed', async () => (await openContexts(api.elasticsearch, alias())) === 0);
  });
  afterAll(async () => {
    await api.stop();
    await proxy.close();
  });
  const alias = (): string => api.env['CONTENT_ALIAS'] ?? '';
  const active = async (): Promise<number> => (await scrape(api.operationsUrl)).get('ugc_resource_used{resource="deep_pages"}') ?? NaN;
  const longestWait = async (): Promise<number> =>
    (await scrape(api.operationsUrl)).get('ugc_resource_longest_wait_seconds{resource="deep_pages"}') ?? NaN;
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = { count: 0, end: promise };
    return resolve;
  };
  let page = 1_000;
  /** Equal lists would be read one after the other. */
  const sendDeep = (userIds: number[]) => userIds.map((id) => api.client.get(`/api/content?page=${(page += 1)}&size=200`, id));
  const expectAllServed = async (pages: ReturnType<typeof sendDeep>): Promise<void> => {
    for (const { status } of await Promise.all(pages)) expect(status).toBe(200);
  };

  it('are at most two of one user: the third waits for the end of one, and other users are served', async () => {
    const end = hold();
    const pages = sendDeep([1, 1, 1]);
    await until('two are active', async () => held?.count === 2 && (await active()) === 2);
    expect((await api.client.get('/api/content', 2)).status).toBe(200);
    pages.push(...sendDeep([2]));
    await until('that of another user is active', async () => held?.count === 3 && (await active()) === 3);
    end();
    await expectAllServed(pages);
  });

  it('count those of the own items too, before which PostgreSQL reads all items', async () => {
    const end = hold();
    const pages = sendDeep([1, 1]);
    await until('two are active', async () => held?.count === 2 && (await active()) === 2);
    expect((await api.client.get('/api/users/me/content?page=4&size=200', 1)).status).toBe(200);
    pages.push(api.client.get('/api/users/me/content?page=5&size=200', 1));
    await until('that of the own items waits', async () => (await longestWait()) > 0);
    end();
    await expectAllServed(pages);
  });

  it('are at most eight of all users: the next users wait for their turns, and lists of others are served', async () => {
    const end = hold();
    // One each: while the event loop is busy, a user may read only one list at a time.
    const pages = sendDeep([1, 2, 3, 4, 5, 6, 7, 8]);
    await until('eight are active', async () => held?.count === 8 && (await active()) === 8);
    pages.push(...sendDeep([9, 10]));
    expect((await api.client.get('/api/content', 11)).status).toBe(200);
    expect([held?.count, await active()]).toEqual([8, 8]);
    end();
    await expectAllServed(pages);
  });

  it('are 500 when their searches together exceed the deadline of a list', async () => {
    // Each of the two takes .8 s, less than its own time limit.
    const hasty = await startAnotherApi({ ...api.env, LIST_TIMEOUT_MS: '1000' });
    proxy.delay(400);
    expectProblem(await hasty.client.get(DEEP), 500);
    proxy.restore();
    await hasty.stop();
  });

  it('end when their clients disconnect', async () => {
    proxy.delay(200);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${await tokenOf(1)}` };
    const page = fetch(`${api.client.baseUrl}${DEEP}`, { headers, signal: leaving.signal }).catch(() => undefined);
    await until('a point in time is open', async () => (await openContexts(api.elasticsearch, alias())) === 1);
    leaving.abort();
    await page;
  });
});

async function openContexts(elasticsearch: Elasticsearch, index: string): Promise<number> {
  const { _all: all } = await elasticsearch.indices.stats({ index, metric: 'search' });
  return all.total?.search?.open_contexts ?? NaN;
}

const NEWEST: List = { sort: ['createdAt,desc'] };

function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, n) => first + n);
}
