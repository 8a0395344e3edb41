import { describe, expect, it, jest } from '@jest/globals';
import { LONG_BYTES } from '@ugc/api/limits/threads';
import type { ContentPage } from '@ugc/api/search/page';
import type { SearchedText } from '@ugc/text/marks/mark-finder';
import { renderItems, type RenderDeps } from '@ugc/api/search/render-items';
import { type PageRequest, renderPage } from '@ugc/api/search/render-page';
import type { Session } from '@ugc/api/search/session';
import { NEWEST_RULES as rules } from '@ugc/text/rules/text-rules';
import { callerWithoutLimits } from '../support/search/searching.ts';

describe('render page', () => {
  const LIGATURE = 'ﷺ';
  /** A response of Elasticsearch with these descriptions. */
  function responseOf(descriptions: string[]): Buffer {
    const source = { name: 'wanted', tags: [], data: '', createdAt: '2026-11-20T09:30:00.000Z', updatedAt: '2026-11-20T09:30:00.000Z' };
    const hits = descriptions.map((description) => ({ _source: { ...source, description } }));
    const total = { value: hits.length, relation: 'eq' };
    return Buffer.from(JSON.stringify({ timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits: { total, hits } }));
  }

  const WANTED: SearchedText = { mappingVersion: rules.mappingVersion, terms: [{ by: 'stem', text: 'want' }] };
  const request = (highlighted: boolean | SearchedText): PageRequest => ({
    page: 0,
    size: 200,
    include: [],
    isSummary: false,
    highlighted: highlighted === true ? WANTED : highlighted || undefined,
    interpretation: undefined,
    shards: 1,
  });

  /** @returns where the page was rendered: undefined for the event loop */
  async function threadOf(
    descriptions: string[],
    highlighted: boolean | SearchedText = true,
  ): Promise<'short work' | 'long work' | undefined> {
    const caller = callerWithoutLimits();
    const takeThread = jest.spyOn(caller, 'takeThread').mockResolvedValue(async () => Buffer.from('{}') as never);
    const session = { index: { shards: 1, hasData: true }, signal: caller.disconnected } as Session;
    await renderItems(session, {} as RenderDeps, { response: responseOf(descriptions), request: request(highlighted), caller });
    const [call] = takeThread.mock.calls;
    return call && (call[1].isLong ? 'long work' : 'short work');
  }

  it.each([
    ['ten usual items', Array.from({ length: 10 }, () => 'A wide wallpaper of a lighthouse. '.repeat(30)), undefined],
    ['two items of ligatures, of 12 kB', [LIGATURE.repeat(2_000), LIGATURE.repeat(2_000)], 'long work' as const],
    ['letters that are two when they are folded', Array.from({ length: 3 }, () => 'Ǆ'.repeat(8_000)), 'long work' as const],
    ['marks that folding leaves out', Array.from({ length: 4 }, () => `xAb${'\u0301'.repeat(9_990)}`), 'long work' as const],
    ['long plain texts', Array.from({ length: 4 }, () => 'plain '.repeat(1_600)), 'long work' as const],
  ])('marks are searched for in the thread for long work by the length of the searched texts: %s', async (_, descriptions, thread) => {
    expect(await threadOf(descriptions)).toBe(thread);
    expect(await threadOf(descriptions, false)).toBeUndefined();
  });

  it('marks of other forms of words, which take longer, are searched for in the thread from a fourth of the length on', async () => {
    const forms: SearchedText = { ...WANTED, terms: [...WANTED.terms, { by: 'key', text: 'de:kanne' }] };
    expect(await threadOf(['plain '.repeat(1_300)], forms)).toBeUndefined();
    expect(await threadOf(['plain '.repeat(1_400)], forms)).toBe('long work');
    expect(await threadOf(['plain '.repeat(1_400)])).toBeUndefined();
  });

  it('a large page is rendered in a thread for short work, and only the largest ones in that for long work', async () => {
    expect(await threadOf(['x'.repeat(800_000)], false)).toBe('short work');
    expect(await threadOf(['x'.repeat(LONG_BYTES)], false)).toBe('long work');
  });

  it('a page has marks in the first million characters of searched text, and all of its items', () => {
    const body = renderPage(responseOf(Array.from({ length: 60 }, () => LIGATURE.repeat(1_000))), request(true));
    const { content } = JSON.parse(String(body)) as ContentPage;
    const isMarked = content.map(({ highlights }) => highlights?.name?.[0] === '<mark>wanted</mark>');
    expect(isMarked).toEqual(Array.from({ length: 60 }, (__, position) => position < 55));
  });

  it('a page is refused if the response and the data beside it, as JSON, are larger than the limit together', () => {
    const response = responseOf(['plain']);
    const withData = (text: string, maxBytes: number) => {
      const texts = new Map([[7, new Uint8Array(Buffer.from(text))]]);
      return { ...request(false), data: { texts, bytes: text.length, maxBytes } };
    };
    const found = Buffer.from(response.toString().replace('"name"', '"contentId":7,"name"'));
    const limit = found.byteLength + 600;
    expect(renderPage(found, withData('\u0001'.repeat(100), limit))).toBeDefined();
    for (const text of ['x'.repeat(601), '\u0001'.repeat(101)])
      expect(() => renderPage(found, withData(text, limit))).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('the length of a text of many marks is found in linear time, and not by sorting all of them', () => {
    const marks = Array.from({ length: 500_000 }, (_, n) => (n % 2 ? '\u0301' : '\u0323')).join('');
    expect(renderPage(responseOf([`a${marks}`]), request(true), 501_000)).toBeDefined();
    expect(renderPage(responseOf([`a${marks}`]), request(true), 500_000)).toBeUndefined();
  });
});
