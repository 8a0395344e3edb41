import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '@ugc/web/messages/languages';
import { messages as arabic } from '@ugc/web/messages/later/ar';
import { messages as german } from '@ugc/web/messages/later/de';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';

const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

describe('the language of the web page', () => {
  const api = forAllTests(() => startApiAlone({ PAGE_LINKS: '{"imprint":"https://example.com/"}' }));
  const get = (path: string, headers: Record<string, string> = {}) => api.client.request('GET', path, { headers });
  const languageOf = (text: string): string | undefined => /<html lang="(\w+)"/.exec(text)?.[1];

  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['DE-ch', 'de'],
    ['pt-BR, en;q=0.9', 'pt'],
    ['en;q=0.4, fr;q=0.9, ja;q=0.95', 'ja'],
    // Firefox asks for a country before others of its languages.
    ['en-US,de;q=0.7,en;q=0.3', 'en'],
    ['ar-EG', 'ar'],
    ['zh-Hant-TW, es-419;q=0.5', 'es'],
    ['zh, ko;q=0.9', 'en'],
    ['zh, *;q=0.1', 'en'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['de;q=0', 'en'],
    ['en;q=0, *', 'de'],
    [`${'x-y,'.repeat(2_000)}de`, 'de'],
    [';;;q=1,,', 'en'],
  ])('that asks for %j is %s', async (accepted, expected) => {
    const { status, text, headers } = await get('/', accepted === undefined ? {} : { 'Accept-Language': accepted });
    expect([status, languageOf(text)]).toEqual([200, expected]);
    expect(headers.get('vary')?.split(', ')).toEqual(expect.arrayContaining(['Accept-Language', 'Accept-Encoding']));
  });

  it('has a document of its own, whose entity tag no other language has, and which names the file of its texts only', async () => {
    const documents = await Promise.all(Object.keys(LANGUAGES).map((code) => get('/', { 'Accept-Language': code })));
    expect(new Set(documents.map(({ headers }) => headers.get('etag'))).size).toBe(documents.length);
    for (const [at, code] of Object.keys(LANGUAGES).entries()) {
      const preloaded = [...(documents[at]?.text ?? '').matchAll(/modulepreload" href="\.(.*?)"/g)].map(([, path = '']) => path);
      const texts = preloaded.filter((path) => /\/page-[a-z]{2}-\w+\.js$/.test(path));
      expect(texts).toEqual([expect.stringContaining(`/page-${code}-`)]);
      expect((await get(texts[0] ?? '')).status).toBe(200);
    }
    const [english, other] = documents;
    const again = { 'Accept-Language': 'de', 'If-None-Match': english?.headers.get('etag') ?? '' };
    expect((await get('/', again)).status).toBe(200);
    expect((await get('/', { ...again, 'If-None-Match': other?.headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('is that of what the document says, in its direction', async () => {
    const { text } = await get('/', { 'Accept-Language': 'ar' });
    expect(text).toContain('<html lang="ar" dir="rtl"');
    expect(text).toContain(`aria-label="${arabic.loading}"`);
    expect(text).toContain(`<noscript>${arabic.needsScript}</noscript>`);
    expect(text).toContain('data-text="imprint">بيانات الناشر</a>');
    for (const [code, name] of Object.entries(LANGUAGES)) expect(text).toContain(`<option lang="${code}" value="${code}">${name}</option>`);
  });

  it('is that of the page for a path that does not exist', async () => {
    const { status, text, headers } = await get('/nosuch', { ...BROWSER, 'Accept-Language': 'de' });
    expect([status, languageOf(text)]).toEqual([404, 'de']);
    expect(text).toContain(`<h1>${german.missingHead}</h1>`);
    expect(headers.get('vary')?.split(', ')).toEqual(expect.arrayContaining(['Accept', 'Accept-Language']));
  });

  it('is not that of the documentation, which is in English', async () => {
    for (const path of ['/docs', '/docs/api']) {
      const { text, headers } = await get(path, { 'Accept-Language': 'de' });
      expect(languageOf(text)).toBe('en');
      expect(headers.get('vary')).not.toContain('Accept-Language');
    }
  });
});
