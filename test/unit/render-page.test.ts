import { afterAll, expect, it } from '@jest/globals';
import { PageRenderer } from '@ugc/api/search/page-renderer';
import { renderPage, type PageRequest } from '@ugc/api/search/render-page';
import type { ContentPage } from '@ugc/api/search/page';

const LIGATURE = 'ﷺ';
const pages = new PageRenderer();
afterAll(() => pages.close());

/** A response of Elasticsearch with these descriptions. */
function responseOf(descriptions: string[]): Buffer {
  const source = { name: 'wanted', tags: [], data: '', createdAt: '2026-11-20T09:30:00.000Z', updatedAt: '2026-11-20T09:30:00.000Z' };
  const hits = descriptions.map((description) => ({ _source: { ...source, description } }));
  const total = { value: hits.length, relation: 'eq' };
  return Buffer.from(JSON.stringify({ timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits: { total, hits } }));
}

const request = (highlighted: boolean): PageRequest => ({
  page: 0,
  size: 200,
  includeTags: false,
  isSummary: false,
  highlighted: highlighted ? { mappingVersion: 6, stems: ['want'], beginnings: [], phrases: [], literals: [] } : undefined,
  interpretation: undefined,
  shards: 1,
});

/** @returns whether the page was rendered in another thread */
async function usesThread(descriptions: string[], highlighted = true): Promise<boolean> {
  let uses = false;
  await pages.render(responseOf(descriptions), request(highlighted), async () => {
    uses = true;
    return { resize: () => undefined, wait: async () => undefined, release: () => undefined };
  });
  return uses;
}

it.each([
  ['ten usual items', Array.from({ length: 10 }, () => 'A wide wallpaper of a lighthouse. '.repeat(30)), false],
  ['two items of ligatures, of 12 kB', [LIGATURE.repeat(2_000), LIGATURE.repeat(2_000)], true],
  ['letters that are two when they are folded', Array.from({ length: 3 }, () => 'Ǆ'.repeat(8_000)), true],
  ['long plain texts', Array.from({ length: 4 }, () => 'plain '.repeat(1_600)), true],
])('marks are searched for in another thread by the length of the searched texts: %s', async (_, descriptions, uses) => {
  expect(await usesThread(descriptions)).toBe(uses);
  expect(await usesThread(descriptions, false)).toBe(false);
});

it('a page has marks in the first million characters of searched text, and all of its items', () => {
  const body = renderPage(responseOf(Array.from({ length: 60 }, () => LIGATURE.repeat(1_000))), request(true));
  const { content } = JSON.parse(String(body)) as ContentPage;
  const isMarked = content.map(({ highlights }) => highlights?.name?.[0] === '<mark>wanted</mark>');
  expect(isMarked).toEqual(Array.from({ length: 60 }, (__, position) => position < 55));
});

it('the length of a text of many marks is found in linear time, and not by sorting all of them', () => {
  const marks = Array.from({ length: 500_000 }, (_, n) => (n % 2 ? '\u0301' : '\u0323')).join('');
  expect(renderPage(responseOf([`a${marks}`]), request(true), { markedUnitsMax: 1_000 })).toBeDefined();
});
