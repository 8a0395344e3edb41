import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toDocument } from '@ugc/indexer/documents/document';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { INDEX_BODY, MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { OLDER_VERSION, UNKNOWN_VERSION } from '../support/indices/older-index.ts';
import { rows } from '../support/jest/long.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { expectProblem } from '../support/http/problems.ts';

type Lookup = Elasticsearch['indices']['get'];

type Fixture = ApiAlone & {
  alias: string;
  /** What the next lookups return instead of asking Elasticsearch. */
  outdated: (() => ReturnType<Lookup>)[];
  sent: { searches: number; lookups: number };
};

const LARGE = 'x'.repeat(200_000);

let api: Fixture;
let older: string;
let newer: string;
let tests = 0;
beforeAll(async () => {
  api = await startApiWithFakedLookups();
  newer = `${api.alias}-v3-newer`;
  await createIndex(newer, INDEX_BODY, [documentOf(1, 'kettle of today'), documentOf(3, 'samovar'), documentOf(4, 'teapot')]);
});
beforeEach(async () => {
  // An earlier test may have removed or closed it.
  older = `${api.alias}-v2-${(tests += 1)}`;
  await createIndex(older, { ...INDEX_BODY, mappings: { ...INDEX_BODY.mappings, _meta: { version: OLDER_VERSION } } }, OLDER);
  await pointAlias(older);
  api.outdated.length = 0;
  // The API forgets the index that the test before has searched.
  passTime(2_000);
  await api.client.list();
  passTime(2_000);
  Object.assign(api.sent, { searches: 0, lookups: 0 });
});
afterEach(() => api.elasticsearch.indices.delete({ index: [older, `${api.alias}-v4-newest`], ignore_unavailable: true }));
afterAll(() => api.stop());

async function startApiWithFakedLookups(): Promise<Fixture> {
  const outdated: Fixture['outdated'] = [];
  const sent = { searches: 0, lookups: 0 };
  let alias: string | undefined;
  const alone = await startApiAlone({}, (elasticsearch) => fakeLookups(elasticsearch, { outdated, sent, alias: () => alias }));
  alias = alone.alias;
  return { ...alone, alias, outdated, sent };
}

function fakeLookups(
  elasticsearch: Elasticsearch,
  { outdated, sent, alias }: Pick<Fixture, 'outdated' | 'sent'> & { alias: () => string | undefined },
): Elasticsearch {
  const search = async (...args: Parameters<Elasticsearch['search']>) => {
    sent.searches += 1;
    return elasticsearch.search(...args);
  };
  const get = async (...args: Parameters<Lookup>) => {
    // The owners of the indices are read in the background, with other names.
    if (String(args[0].index) !== alias()) return elasticsearch.indices.get(...args);
    sent.lookups += 1;
    return outdated.shift()?.() ?? elasticsearch.indices.get(...args);
  };
  const indices = Object.create(elasticsearch.indices, { get: { value: get } });
  return Object.create(elasticsearch, { search: { value: search }, indices: { value: indices } });
}

function documentOf(contentId: number, name: string, tags: string[] = []): object {
  return toDocument(indexedContent({ contentId, name, tags, data: LARGE }), NEWEST_RULES);
}

const OLDER = [documentOf(1, 'kettle of yesterday'), documentOf(2, 'urn')];

async function createIndex(index: string, body: object, documents: object[]): Promise<void> {
  await api.elasticsearch.indices.create({ index, ...body });
  await api.elasticsearch.bulk({ index, operations: documents.flatMap((document) => [{ index: {} }, document]), refresh: true });
}

async function pointAlias(index: string): Promise<void> {
  const remove = { index: `${api.alias}-v*`, alias: api.alias, must_exist: false };
  await api.elasticsearch.indices.updateAliases({ actions: [{ remove }, { add: { index, alias: api.alias } }] });
}

/** The API looks the alias up before it moves from one index to the other, and searches afterwards. */
async function moveAfterLookup(from: string, to: string, { lookups = 1 } = {}): Promise<void> {
  const before = await api.elasticsearch.indices.get({ index: from });
  for (const index of Object.values(before)) index.aliases = { [api.alias]: {} };
  api.outdated.push(...Array.from({ length: lookups }, () => async () => before));
  await pointAlias(to);
}

describe('a list during which the alias moves shows the index that is searched now, completely', () => {
  const LISTS: [string, Record<string, string | number>, string[]][] = [
    ['for a prompt with other hits in both indices', { prompt: 'kettle' }, ['kettle of today']],
    ['for a prompt without hits in the newer index', { prompt: 'urn' }, []],
    ['for a prompt without hits in the older index', { prompt: 'samovar' }, ['samovar']],
    ['for a page that is rendered in the other thread', { sort: 'contentId,asc' }, ['kettle of today', 'samovar', 'teapot']],
    ['with a filter', { prompt: 'kettle', creatorId: 1 }, ['kettle of today']],
  ];

  it.each(rows(2, LISTS))('%s', async (_, parameters, names) => {
    await moveAfterLookup(older, newer);
    const { body } = await api.client.list(parameters);
    expect(body.content.map(({ name }) => name)).toEqual(names);
    expect(body.totalElements).toBe(names.length);
  });

  it('for a page past the end', async () => {
    await moveAfterLookup(older, newer);
    expect((await api.client.list({ page: 1_000_000 })).body).toMatchObject({ content: [], totalElements: 3 });
  });

  const OLDER_LISTS: [string, string[]][] = [
    ['kettle', ['kettle of yesterday']],
    ['urn', ['urn']],
    ['samovar', []],
  ];

  it.each(rows(1, OLDER_LISTS))('for the prompt %s when it moves back to an index with an older mapping', async (prompt, names) => {
    await moveAfterLookup(newer, older);
    expect(await api.client.search(prompt)).toEqual(names);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['removed', () => api.elasticsearch.indices.delete({ index: older })],
    ['closed', () => api.elasticsearch.indices.close({ index: older })],
  ])('when the previous index is %s at once', async (_, end) => {
    await moveAfterLookup(older, newer);
    await end();
    expect(await api.client.search('kettle')).toEqual(['kettle of today']);
  });

  it('when it has moved to and fro, so that the next lookup finds the same index as before', async () => {
    await moveAfterLookup(newer, older, { lookups: 2 });
    expect(await api.client.search('urn')).toEqual(['urn']);
    expect(api.sent.lookups).toBe(3);
  });
});

it('facets during which the alias moves count the index that is searched now', async () => {
  const newest = `${api.alias}-v4-newest`;
  await createIndex(newest, INDEX_BODY, [documentOf(5, 'kettle')]);
  await moveAfterLookup(newer, newest);
  const { body } = await api.client.get('/api/content/facets');
  expect(body).toMatchObject({ totalElements: 1, facets: { creators: { values: [{ creatorId: 1, creatorName: 'ada', count: 1 }] } } });
});

it('similar items during which the alias moves are those of the index that is searched now', async () => {
  const id = await api.client.upload({ name: 'A kettle', tags: ['red'] });
  const newest = `${api.alias}-v4-newest`;
  await createIndex(newest, INDEX_BODY, [documentOf(5, 'urn', ['red'])]);
  await moveAfterLookup(newer, newest);
  const { body } = await api.client.get(`/api/content/${id}/similar`);
  expect(body).toMatchObject({ content: [{ contentId: 5 }] });
});

it('a list during which the alias moves for ever is a 500 after three searches', async () => {
  await moveAfterLookup(newer, older, { lookups: 100 });
  expectProblem(await api.client.list(), 500);
  expect(api.sent.searches).toBe(3);
});

it('a search that Elasticsearch rejects is not repeated while the alias stays', async () => {
  const properties = { createdAt: { type: 'text' }, deleted: { type: 'boolean' } };
  const unsortable = `${api.alias}-v3-unsortable`;
  await createIndex(unsortable, { mappings: { ...INDEX_BODY.mappings, properties } }, [{ createdAt: 'x', deleted: false }]);
  await pointAlias(unsortable);
  expectProblem(await api.client.list(), 500);
  expect(api.sent.searches).toBe(1);
});

it('a list without hits takes one search', async () => {
  expect(await api.client.search('samovar')).toEqual([]);
  expect(api.sent.searches).toBe(1);
});

describe('the lookup of the searched index', () => {
  const putVersion = (version: number) => api.elasticsearch.indices.putMapping({ index: older, _meta: { version } });

  it('is shared by concurrent lists', async () => {
    await Promise.all(Array.from({ length: 20 }, () => api.client.search('kettle')));
    expect(api.sent.lookups).toBeLessThan(10);
  });

  it('is repeated by the first list after an error', async () => {
    await api.elasticsearch.indices.deleteAlias({ index: older, name: api.alias });
    expectProblem(await api.client.list(), 500);
    await pointAlias(older);
    expect(await api.client.search('urn')).toEqual(['urn']);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the alias has several indices', () => api.elasticsearch.indices.putAlias({ index: newer, name: api.alias })],
    ['this code does not know the older mapping of the index', () => putVersion(UNKNOWN_VERSION)],
    ['the index has no mapping version', () => api.elasticsearch.indices.putMapping({ index: older, _meta: { of: 'somebody else' } })],
  ])('ends a list with a 500 when %s', async (_, change) => {
    await change();
    expectProblem(await api.client.list(), 500);
    expect(api.sent.searches).toBe(0);
  });

  it('takes an index with a newer mapping for an own one, as processes do during an update', async () => {
    await putVersion(MAPPING_VERSION + 1);
    expect(await api.client.search('urn')).toEqual(['urn']);
  });
});
