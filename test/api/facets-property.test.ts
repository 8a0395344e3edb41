import { beforeAll, expect, it } from '@jest/globals';
import type { Facets } from '@ugc/api/search/facets/facets';
import type { ContentItem } from '@ugc/api/content/content-item';
import { tagKey } from '@ugc/shared/search-text/tag-key';
import { NEWEST_RULES } from '@ugc/shared/search-text/text-rules';
import fc from 'fast-check';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

const ITEMS = 240;
const DELETED = 20;
const PAGE_SIZE = 50;
const CREATORS = [1, 2, 3];
const WORDS = ['lantern', 'harbour', 'violet', 'comet', 'meadow'];
const TAGS = Array.from({ length: 30 }, (_, n) => [`tag ${n}`, `Täg ${n}`]).flat();
/** The filters that each facet ignores. */
const OWN_FILTERS: Record<keyof Facets['facets'], string[]> = {
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

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const ordered = (names: [string, string], value: fc.Arbitrary<string>, isBefore: (a: string, b: string) => boolean) =>
  fc
    .tuple(optional(value), optional(value))
    .filter(([from, to]) => from === undefined || to === undefined || isBefore(from, to))
    .map(([from, to]): Parameters => ({ [names[0]]: from, [names[1]]: to }));

const single = fc.record({
  prompt: optional(fc.constantFrom('lantern', 'harbour violet', 'lanternn', 'har', '-comet', '"violet comet"', 'lantern harbour comet')),
  match: optional(fc.constantFrom('any', 'most', 'all')),
  tags: optional(fc.array(tag, { minLength: 1, maxLength: 2 })),
  anyTags: optional(fc.array(tag, { minLength: 1, maxLength: 3 })),
  excludeTags: optional(fc.array(tag, { minLength: 1, maxLength: 3 })),
  creatorId: optional(fc.subarray(CREATORS.map(String), { minLength: 1 })),
  excludeCreatorId: optional(fc.subarray(CREATORS.map(String), { minLength: 1, maxLength: 1 })),
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
const EXPECTED: Record<keyof Facets['facets'], (items: ContentItem[], given: Parameters, facets: Facets['facets']) => unknown> = {
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

it('facets are the counts over all pages of the list, each without its own filters, for any prompt and filters', async () => {
  await fc.assert(
    fc.asyncProperty(parameters, async (given) => {
      const { totalElements, facets } = await get<Facets>(`/api/content/facets?${queryOf(given)}`);
      expect(totalElements).toBe((await listAll(queryOf(given))).length);
      for (const name of Object.keys(OWN_FILTERS) as (keyof Facets['facets'])[]) {
        const items = await listAll(queryOf(given, OWN_FILTERS[name]));
        expect({ name, ...facets[name] }).toEqual({ name, ...(EXPECTED[name](items, given, facets) as object) });
      }
    }),
    { numRuns: runs(12, 60) },
  );
});
