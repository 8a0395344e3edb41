import { describe, expect, it } from '@jest/globals';
import { queryParser } from '@ugc/api/http/query-parameters';
import { countFacets } from '@ugc/api/search/facets/count-facets';
import { facetParameters, type Facets } from '@ugc/api/search/facets/facets';
import { HeldIndex } from '@ugc/api/search/facets/held-index';
import { rareSearch } from '@ugc/api/search/facets/sampling';
import { readDefinitions } from '@ugc/fields/definition';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { expectErrors } from '../support/http/problems.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService } from '../support/processes/service.ts';
import { callerWithoutLimits, searchDeps } from '../support/search/searching.ts';
import { IS_OPENSEARCH } from '../support/servers/search-engine.ts';

/** OpenSearch has no sampler, and counts all matches. */
const hasSampler = !IS_OPENSEARCH;

const ITEMS = 1_600;
/** One match in four of all is counted, and of the half of them one in two. */
const MAX = 400;
const FIELDS = {
  licence: { type: 'keyword' },
  studio: { type: 'keyword' },
  build: { type: 'group', many: true, of: { game: 'version', loader: 'keyword' } },
};

/** Expects a count within six standard deviations. */
function expectAbout(count: number | undefined, expected: number, probability: number): void {
  const error = hasSampler ? 6 * Math.sqrt((expected * (1 - probability)) / probability) : 0;
  expect(Math.abs((count ?? NaN) - expected)).toBeLessThanOrEqual(error);
}

function expectSampled({ sampled }: Facets, expected: Record<string, number>): void {
  expect(sampled).toEqual(hasSampler ? expected : {});
}

const service = forAllTests(async () => {
  const env = await createEnvironment();
  const { close, ...stores } = openStores(env);
  await declareFields(stores.database, FIELDS);
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    name: n % 2 ? 'lantern' : 'kettle',
    tags: [`tag ${n % 4}`, ...(n < 100 ? ['rare'] : []), ...(n < 20 ? ['scarce'] : [])],
    ratings: n % 2 ? [5] : [],
    downloads: n % 2 ? 150 : 0,
    createdAt: `2026-0${1 + (n % 8)}-01T00:00:00.000Z`,
    fields: {
      licence: n % 2 ? 'MIT' : 'CC0-1.0',
      ...(n < 3 && { studio: n ? 'Amber' : 'Birch' }),
      build: [
        { game: '1.20', loader: n % 2 ? 'fabric' : 'forge' },
        { game: '1.21', loader: 'quilt' },
      ],
    },
  }));
  await storeContent(stores.database, items);
  await close();
  const started = await startService(env);
  await started.indexed();
  return started;
});

/** Counts as the endpoint does, but in part if there are more than `MAX` matches. */
async function count(query: string): Promise<Facets> {
  const read = readDefinitions(FIELDS);
  if ('errors' in read) throw new Error('the fields are not valid');
  const parameters = { ...queryParser(facetParameters(defaultEnv()))(query), declared: read.definitions };
  const heldIndex = new HeldIndex({ elasticsearch: service.elasticsearch });
  const { body } = await countFacets(
    { ...searchDeps(service, parameters.declared), heldIndex, countedMax: MAX },
    parameters,
    callerWithoutLimits(),
  );
  return body;
}

const tagsOf = ({ facets }: Facets): Record<string, number> =>
  Object.fromEntries(facets.tags.values.map(({ tag, count: items }) => [tag, items]));

describe('counts=sampled', () => {
  it('estimates the counts of many matches, says by which part of them, and has the exact total', async () => {
    const counted = await count('counts=sampled&facetFields=licence&facetFields=build.game');
    const { totalElements, facets } = counted;
    expect(totalElements).toBe(ITEMS);
    const names = ['tags', 'creators', 'ratings', 'downloads', 'created', 'fields.licence', 'fields.build.game'];
    expectSampled(counted, Object.fromEntries(names.map((name) => [name, 0.25])));
    for (const { count: items } of facets.tags.values.slice(0, 4)) expectAbout(items, ITEMS / 4, 0.25);
    expectAbout(facets.creators.values[0]?.count, ITEMS, 0.25);
    for (const { count: items } of facets.ratings.values) expectAbout(items, ITEMS / 2, 0.25);
    for (const { count: items } of facets.downloads.values) expectAbout(items, ITEMS / 2, 0.25);
    for (const { count: items } of facets.created.values.filter((each) => each.count > 0)) expectAbout(items, ITEMS / 8, 0.25);
    for (const { count: items } of facets.fields?.['licence']?.values ?? []) expectAbout(items, ITEMS / 2, 0.25);
    for (const { exact } of [facets.tags, facets.creators, ...Object.values(facets.fields ?? {})]) expect(exact).toBe(!hasSampler);
  });

  it('counts few matches exactly, and says so', async () => {
    const filters = 'tags=rare&where=licence:MIT&facetFields=licence';
    const { sampled, ...counted } = await count(`${filters}&counts=sampled`);
    expect(sampled).toEqual({});
    expect(counted).toEqual(await count(filters));
    expect(counted.facets.tags.exact).toBe(true);
  });

  it('counts the values of a field that few matches have exactly, and says so', async () => {
    const counted = await count('counts=sampled&facetFields=studio&facetFields=licence');
    const { values, other, exact } = counted.facets.fields?.['studio'] ?? {};
    expect({ values, other, exact }).toEqual({
      values: [
        { value: 'Amber', count: 2 },
        { value: 'Birch', count: 1 },
      ],
      other: 0,
      exact: true,
    });
    expect(counted.sampled).not.toHaveProperty(['fields.studio']);
    expectAbout(counted.facets.fields?.['licence']?.values[0]?.count, ITEMS / 2, 0.25);
  });

  it('counts the few tags with a beginning exactly, and only of the matches that have one', async () => {
    const { facets, sampled } = await count('counts=sampled&tagPrefix=scar');
    expect(facets.tags).toMatchObject({ values: [{ tag: 'scarce', count: 20 }], other: 0, exact: true });
    expect(sampled).not.toHaveProperty('tags');
    const aggregations = { tags: { terms: { field: 'tagKeys', include: 'scar.*' } } };
    const few = { sample: { probability: 0.25, tags: { buckets: [{ key: 'scarce', doc_count: 24 }], sum_other_doc_count: 0 } } };
    const search = rareSearch({ aggregations }, { aggregations: few } as never, MAX);
    expect(search?.query?.bool?.filter).toContainEqual({ bool: { should: [{ regexp: { tagKeys: 'scar.*' } }], minimum_should_match: 1 } });
  });

  it('counts a facet that ignores a filter in part, beside others of few matches that are exact', async () => {
    const counted = await count('counts=sampled&anyTags=rare&where=licence:MIT&facetFields=licence');
    const { totalElements, facets } = counted;
    expect(totalElements).toBe(50);
    expectSampled(counted, { tags: 0.5 });
    expectAbout(tagsOf(counted)['tag 1'], ITEMS / 4, 0.5);
    expect(facets.ratings.values).toEqual([{ stars: 5, count: 50 }]);
    expect(facets.fields?.['licence']?.values).toContainEqual({ value: 'MIT', count: 50 });
  });

  it('estimates the values of a part of a group beside several values of another part', async () => {
    const several = 'where=build.loader:fabric&where=build.loader:forge&facetFields=build.game';
    const { sampled, facets } = await count(`counts=sampled&${several}`);
    expect(sampled?.['fields.build.game']).toBe(hasSampler ? 0.25 : undefined);
    const { values = [], exact } = facets.fields?.['build.game'] ?? {};
    expect(values.map(({ value }) => value)).toEqual(['1.20']);
    expectAbout(values[0]?.count, ITEMS, 0.25);
    expect(exact).toBe(!hasSampler);
  });

  it('estimates the matches of a prompt', async () => {
    const counted = await count('counts=sampled&prompt=lantern');
    expect(counted.totalElements).toBe(ITEMS / 2);
    expectSampled(counted, Object.fromEntries(['tags', 'creators', 'ratings', 'downloads', 'created'].map((name) => [name, 0.5])));
    expectAbout(tagsOf(counted)['tag 1'], ITEMS / 4, 0.5);
  });

  it('estimates all facets beside filters of each of them, and has the exact total', async () => {
    const filters = 'anyTags=tag 0&anyTags=tag 1&creatorId=1&minRating=0&minDownloads=0&createdFrom=1970-01-01';
    const counted = await count(`counts=sampled&${filters}`);
    expect(counted.totalElements).toBe(ITEMS / 2);
    const halves = Object.fromEntries(['creators', 'ratings', 'downloads', 'created'].map((name) => [name, 0.5]));
    expectSampled(counted, { ...halves, tags: 0.25 });
    expectAbout(counted.facets.creators.values[0]?.count, ITEMS / 2, 0.5);
    expectAbout(tagsOf(counted)['tag 3'], ITEMS / 4, 0.25);
  });

  it('has the same counts each time, until the index changes', async () => {
    expect(await count('counts=sampled')).toEqual(await count('counts=sampled'));
  });

  it('without it, all matches are counted', async () => {
    const exact = await count('facetFields=licence');
    expect(exact).not.toHaveProperty('sampled');
    expect(tagsOf(exact)).toEqual({ 'tag 0': 400, 'tag 1': 400, 'tag 2': 400, 'tag 3': 400, rare: 100, scarce: 20 });
    expect(await count('counts=exact&facetFields=licence')).toEqual(exact);
  });

  it('another value is a 400, which names the values that are right', async () => {
    const response = await service.client.get('/api/content/facets?counts=about');
    expectErrors(response, ['counts']);
    expect(response.body.errors[0].detail).toBe('must be exact or sampled');
  });

  it('the endpoint counts so few matches exactly', async () => {
    const { body } = await service.client.get('/api/content/facets?counts=sampled');
    expect(body).toMatchObject({ totalElements: ITEMS, sampled: {}, facets: { tags: { exact: true } } });
  });
});
