import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import { createVersion6Index } from '../support/indices/index-version-6.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';

const rated = (times: number, score: number): number[] => Array.from({ length: times }, () => score);

/** From the highest quality to the lowest. */
const KETTLES: StoredFields[] = [
  { name: 'popular kettle', ratings: rated(40, 5), downloads: 20_000 },
  { name: 'good kettle', ratings: rated(40, 5), downloads: 90 },
  { name: 'unknown new kettle', createdAt: '2026-01-03T00:00:00.000Z' },
  { name: 'unknown kettle' },
  { name: 'once disliked kettle', ratings: [2] },
  { name: 'old good kettle', ratings: rated(40, 5), downloads: 90, createdAt: '2014-01-01T00:00:00.000Z' },
  { name: 'kettle', ratings: rated(40, 1), createdAt: '2014-01-01T00:00:00.000Z' },
];
const NAMES = KETTLES.map(({ name }) => name);
/** They have no tag, and are found by "lamp" only. */
const LAMPS: StoredFields[] = [
  { name: 'lamp of brass', description: 'a lamp to read by' },
  { name: 'table', description: 'with room for a lamp', ratings: rated(99, 5), downloads: 900_000 },
  ...Array.from({ length: 20 }, (_, n) => ({ name: `lamp ${n}`, downloads: n % 4, ratings: rated(n % 3, 4) })),
];

describe('a list sorted by best', () => {
  const service = forAllTests(() => startService());
  beforeAll(async () => {
    // Neither the order of the ids nor that of the times is that of the quality.
    const byName = KETTLES.toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? ''));
    const kettles = byName.map((item) => ({ ...item, tags: ['kettle'] }));
    await storeContent(service.database, [...kettles, ...LAMPS]);
    await service.indexed();
  });
  const search = (prompt: string, parameters: Record<string, string | number> = {}) =>
    service.client.search(prompt, { sort: 'best', ...parameters });

  it('without a prompt has well-rated, popular and new items first, in which few ratings count little', async () => {
    expect(await search('', { tags: 'kettle' })).toEqual(NAMES);
    expect(await search('', { tags: 'kettle', sort: 'best,desc' })).toEqual(NAMES);
    expect(await search('', { tags: 'kettle', sort: 'best,asc' })).toEqual(NAMES.toReversed());
  });

  it('has that order too for a prompt that only excludes', async () => {
    expect(await search('-lamp -table')).toEqual(NAMES);
    expect(await search('-lamp -popular')).toEqual(NAMES.slice(1));
  });

  it('has the item first whose name is the prompt, however badly it is rated', async () => {
    expect(await search('kettle')).toMatchObject(['kettle', 'popular kettle', ...Array.from({ length: 5 }, () => expect.anything())]);
  });

  it('has the popular item first of items that match equally well', async () => {
    const found = await search('kettle');
    expect(found.indexOf('good kettle')).toBeLessThan(found.indexOf('unknown kettle'));
    expect(found.indexOf('unknown kettle')).toBeLessThan(found.indexOf('once disliked kettle'));
    expect(await search('kettle', { sort: 'best,asc' })).toEqual(found.toReversed());
  });

  it('has an item that is about the prompt before a popular one that only mentions it', async () => {
    const found = await search('brass lamp');
    expect(found[0]).toBe('lamp of brass');
    expect((await search('lamp', { size: 50 })).at(-1)).toBe('table');
  });

  it.each(['lamp', 'lmap', '"lamp"', 'lamp -brass', ''])('has the matches, the total and the facets of relevance: %s', async (prompt) => {
    const [best, relevance] = [await search(prompt, { size: 50 }), await search(prompt, { size: 50, sort: 'relevance' })];
    expect(best.toSorted()).toEqual(relevance.toSorted());
    const facets = async (sort: string) => (await service.client.get(`/api/content/facets?sort=${sort}&prompt=${prompt}`)).body;
    expect(await facets('best')).toEqual(await facets('relevance'));
  });

  it('neither repeats nor skips an item on its pages, and marks what matches', async () => {
    for (const prompt of ['lamp', '']) {
      const pages: string[] = [];
      for (let page = 0; page < 10; page += 1) pages.push(...(await search(prompt, { page, size: 3, sort: 'best' })));
      expect(pages).toEqual(await search(prompt, { size: 50 }));
    }
    const { body } = await service.client.list({ prompt: 'brass', sort: 'best', highlight: 'true' });
    expect(body.content[0]?.highlights?.name).toEqual(['lamp of <mark>brass</mark>']);
  });

  it('changes with ratings and downloads', async () => {
    const id = await service.client.upload({ name: 'samovar', tags: ['samovar'] });
    const other = await service.client.upload({ name: 'samovar', tags: ['samovar'] });
    await service.indexed();
    const order = async (): Promise<number[]> =>
      (await service.client.list({ tags: 'samovar', sort: 'best' })).body.content.map(({ contentId }) => contentId);
    expect(await order()).toEqual([other, id]);
    expect((await service.client.send('PUT', `/api/content/${id}/rating`, { score: 5 }, 2)).status).toBe(204);
    await service.indexed();
    expect(await order()).toEqual([id, other]);
  });

  it('with relevance in it is a 400 that says what to remove', async () => {
    for (const sort of ['sort=best&sort=relevance', 'sort=relevance,asc&sort=name&sort=best,asc']) {
      const response = await service.client.get(`/api/content?prompt=lamp&${sort}`);
      expectErrors(response, ['sort']);
      expect(response.body.errors[0].detail).toContain('relevance and best');
    }
  });
});

it('an index of mapping version 6 is a 503 with sort=best only, which names what is due', async () => {
  const older = await startApiAlone();
  await older.client.upload({ name: 'dusk' });
  await createVersion6Index({ ...older, alias: older.env['CONTENT_ALIAS'] ?? '' });
  for (const prompt of ['dusk', '']) {
    const response = await older.client.list({ prompt, sort: 'best' });
    expect(expectProblem(response, 503).detail).toMatch(/best.*index:rebuild is due/);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await older.client.list({ prompt, sort: 'relevance' })).body.totalElements).toBe(1);
  }
  await older.stop();
});
