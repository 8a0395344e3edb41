import { expect, it } from '@jest/globals';
import { countFacets } from '@ugc/api/search/facets/count-facets';
import type { Facets } from '@ugc/api/search/facets/facets';
import { HeldIndex } from '@ugc/api/search/facets/held-index';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { passTime } from '../support/jest/pass-time.ts';
import { until } from '../support/jest/until.ts';
import { startService } from '../support/processes/service.ts';
import { callerWithoutLimits, searchDeps } from '../support/search/searching.ts';
import { IS_OPENSEARCH } from '../support/servers/search-engine.ts';

/** OpenSearch does not say how many tags there are, so nothing is held. */
const onElasticsearch = IS_OPENSEARCH ? it.skip : it;

const service = forAllTests(() => startService());
const HELD_MS = 60_000;

/** Counts as a process of which the index has many tags, so that it holds a point in time. */
function counter(freeValues = 0) {
  const { elasticsearch } = service;
  const opened: string[] = [];
  const openPointInTime = async (...args: Parameters<typeof elasticsearch.openPointInTime>) => {
    const answer = await elasticsearch.openPointInTime(...(args as [never]));
    opened.push(answer.id);
    return answer;
  };
  const watched = Object.assign(Object.create(elasticsearch) as typeof elasticsearch, { openPointInTime });
  const heldIndex = new HeldIndex({ elasticsearch: watched, freeValues, heldMsPerValue: HELD_MS });
  const deps = { ...searchDeps(service), heldIndex };
  const count = async (tags?: string[]): Promise<Facets> => {
    const parameters = { prompt: '', match: 'most', correct: 'true', ...(tags && { tags }) } as Parameters<typeof countFacets>[1];
    return (await countFacets(deps, parameters, callerWithoutLimits())).body;
  };
  return { heldIndex, opened, count };
}

async function store(...tags: string[]): Promise<void> {
  await service.client.upload({ tags });
  await service.indexed();
}

const tagsIn = ({ facets }: Facets): string[] => facets.tags.values.map(({ tag }) => tag).toSorted();

/** Elasticsearch says how many tags there are once it has counted them. */
async function held(): Promise<ReturnType<typeof counter>> {
  await service.client.get('/api/content/facets');
  const held = counter();
  await until('facets are counted in a point in time', async () => (await held.count()).countedAt !== undefined);
  return held;
}

it('an index with few tags is counted as it is now, and nothing is held', async () => {
  // Of one segment, nothing is built.
  await store('few');
  await store('further');
  await service.client.get('/api/content/facets');
  const { heldIndex, opened, count } = counter(100_000);
  await until('the tags were counted', async () => (await count()).totalElements > 0 && (IS_OPENSEARCH || heldIndex.values > 0));
  await store('another');
  expect(await count()).not.toHaveProperty('countedAt');
  expect(tagsIn(await count())).toEqual(['another', 'few', 'further']);
  expect(opened).toEqual([]);
});

onElasticsearch('an index with many tags is counted as it was at a time that the response names, with the present total', async () => {
  await store('early');
  const { count, opened } = await held();
  const before = await count();
  await store('later');
  const now = await count();
  expect(now).toMatchObject({ totalElements: before.totalElements + 1, countedAt: before.countedAt });
  expect(now.facets).toEqual(before.facets);
  expect(before.facets.created.interval).toBe('hour');
  expect(tagsIn(now)).not.toContain('later');
  expect(opened).toHaveLength(1);
});

onElasticsearch('a later request counts what was added before: at the latest when the time is over', async () => {
  const { count } = await held();
  await store('added');
  passTime(HELD_MS + 1);
  expect(tagsIn(await count())).toContain('added');
});

onElasticsearch('it is renewed beside the requests, which do not wait for it', async () => {
  const { count, opened } = await held();
  await store('renewed');
  passTime(HELD_MS / 2 + 1);
  expect(tagsIn(await count())).not.toContain('renewed');
  await until('it is renewed', async () => tagsIn(await count()).includes('renewed'));
  expect(opened).toHaveLength(2);
});

onElasticsearch('without the point in time, as after a restart of the node, it is counted as it is now', async () => {
  const { count, opened } = await held();
  await store('after the restart');
  for (const id of opened) await service.elasticsearch.closePointInTime({ id });
  const counted = await count();
  expect(counted).not.toHaveProperty('countedAt');
  expect(tagsIn(counted)).toContain('after the restart');
});

onElasticsearch('filters of a facet are ignored in the point in time too', async () => {
  await store('one', 'two');
  const { count } = await held();
  const { facets, totalElements } = await count(['one']);
  expect(totalElements).toBe(1);
  expect(facets.tags.values.map(({ tag }) => tag).toSorted()).toEqual(['one', 'two']);
});
