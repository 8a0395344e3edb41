import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Highlights } from '@ugc/api/content/content-item';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { createVersion2Index } from '../support/indices/index-version-2.ts';
import { createVersion4Index } from '../support/indices/index-version-4.ts';
import { expectErrors, expectProblem } from '../support/http/problems.ts';
import { startService } from '../support/processes/service.ts';
import { storeContent } from '../support/database/stored-content.ts';

const LONG = 'ein längerer Satz ohne das gesuchte Wort. '.repeat(40);

const service = forAllTests(() => startService());
beforeAll(async () => {
  await storeContent(service.database, [
    { name: 'Lighthouses at dusk', description: 'A misty harbour & <b>boats</b>', tags: ['pixel art', 'Old Harbour'] },
    { name: 'Folding a dice tower', description: 'plywood, dice and a tower', creatorId: 2 },
    { name: 'Crème BRÛLÉE', description: `${LONG}Die Straße. ${LONG}`, tags: ['dessert'] },
    { name: 'C++ for the brave', description: 'not C, not C#', tags: ['c++', 'c'] },
    { name: 'R2-D2 and friends', description: 'r2 d2, d2 r2' },
    { name: 'The Lord of the Rings', description: 'lord, rings' },
    { name: '東京の夜', description: '京都と東京', tags: ['日本'] },
    { name: 'ภาษาไทยเบื้องต้น', description: 'ราคา๑๒บาท' },
    { name: 'مُحَمَّد والمدرسة', description: 'سنة ٢٠٢٤' },
    { name: 'Thumbs 👍🏽', description: '👩🏽‍💻 works' },
    { name: 'To be', description: '' },
  ]);
  await service.indexed();
});

async function highlightsOf(prompt: string, parameters: Record<string, string | number> = {}): Promise<Record<string, Highlights>> {
  const { body } = await service.client.list({ prompt, highlight: 'true', sort: 'relevance', size: 100, ...parameters });
  return Object.fromEntries(body.content.map(({ name, highlights }) => [name, highlights ?? {}]));
}

describe('highlight=true marks what the prompt matches', () => {
  it.each<[string, string, string, Highlights]>([
    ['other forms of a word', 'lighthouse -x', 'Lighthouses at dusk', { name: ['<mark>Lighthouses</mark> at dusk'] }],
    ['corrected words', 'harbuor', 'Lighthouses at dusk', {
      description: ['A misty <mark>harbour</mark> &amp; &lt;b&gt;boats&lt;/b&gt;'], tags: ['Old <mark>Harbour</mark>'],
    }],
    ['joined words', 'light houses', 'Lighthouses at dusk', { name: ['<mark>Lighthouses</mark> at dusk'] }],
    ['split words', 'dicetower', 'Folding a dice tower', { name: ['Folding a <mark>dice tower</mark>'] }],
    ['the unfinished word', 'misty boa', 'Lighthouses at dusk', {
      description: ['A <mark>misty</mark> harbour &amp; &lt;b&gt;<mark>boats</mark>&lt;/b&gt;'],
    }],
    ['phrases', '"dice tower"', 'Folding a dice tower', { name: ['Folding a <mark>dice tower</mark>'] }],
    ['phrases with stop words', '"the lord of"', 'The Lord of the Rings', { name: ['<mark>The Lord of</mark> the Rings'] }],
    ['stop words, if there are no others', 'the', 'The Lord of the Rings', { name: ['<mark>The</mark> Lord of <mark>the</mark> Rings'] }],
    ['accented words', 'creme brulee', 'Crème BRÛLÉE', { name: ['<mark>Crème</mark> <mark>BRÛLÉE</mark>'] }],
    ['strict literals', 'c++', 'C++ for the brave', { name: ['<mark>C++</mark> for the brave'], tags: ['<mark>c++</mark>'] }],
    ['other literals', 'r2-d2', 'R2-D2 and friends', { name: ['<mark>R2-D2</mark> and friends'], description: ['<mark>r2 d2</mark>, d2 r2'] }],
    ['Chinese', '東京', '東京の夜', { name: ['<mark>東京</mark>の夜'], description: ['京都と<mark>東京</mark>'] }],
    ['Thai', 'ไทย', 'ภาษาไทยเบื้องต้น', { name: ['ภาษา<mark>ไทย</mark>เบื้องต้น'] }],
    ['Thai between digits', 'บาท', 'ภาษาไทยเบื้องต้น', { description: ['ราคา๑๒<mark>บาท</mark>'] }],
    ['Arabic', 'محمد', 'مُحَمَّد والمدرسة', { name: ['<mark>مُحَمَّد</mark> والمدرسة'] }],
    ['digits of another script', '2024', 'مُحَمَّد والمدرسة', { description: ['سنة <mark>٢٠٢٤</mark>'] }],
    ['emoji', '👩‍💻', 'Thumbs 👍🏽', { description: ['<mark>👩🏽‍💻</mark> works'] }],
    ['words next to exclusions', 'dusk -tower', 'Lighthouses at dusk', { name: ['Lighthouses at <mark>dusk</mark>'] }],
  ])('%s: %s', async (_what, prompt, name, highlights) => {
    expect((await highlightsOf(prompt))[name]).toEqual(highlights);
  }); // prettier-ignore

  it('in a part of a long description', async () => {
    const { 'Crème BRÛLÉE': { description: [fragment = '', ...others] = [], ...fields } = {} } = await highlightsOf('strasse');
    expect(fragment).toMatch(/^ein .* Die <mark>Straße<\/mark>\. ein /);
    expect(fragment.length).toBeLessThan(170);
    expect({ fields, others }).toEqual({ fields: {}, others: [] });
  });

  it('and nothing in an item that only the name of its creator matches, or without a prompt', async () => {
    const [{ creatorName = '' } = {}] = (await service.client.list({ creatorId: 2 })).body.content;
    expect(await highlightsOf(creatorName)).toEqual({ 'Folding a dice tower': {} });
    for (const highlights of Object.values(await highlightsOf(' '))) expect(highlights).toEqual({});
  });
});

it('the page is the same, except for highlights', async () => {
  const lists: Record<string, string>[] = [{ prompt: 'harbour tower' }, { prompt: 'harbuor', explain: 'true', include: 'tags' }, {}];
  for (const parameters of lists) {
    const plain = (await service.client.list(parameters)).body;
    const { content, ...page } = (await service.client.list({ ...parameters, highlight: 'true' })).body;
    expect({ ...page, content: content.map(({ highlights: _, ...item }) => item) }).toEqual(plain);
    expect((await service.client.list({ ...parameters, highlight: 'false' })).body).toEqual(plain);
  }
});

it('a single item has no highlights', async () => {
  const [{ contentId = 0 } = {}] = (await service.client.list({ prompt: 'dusk' })).body.content;
  expect((await service.client.get(`/api/content/${contentId}?highlight=true`)).body).not.toHaveProperty('highlights');
});

it.each(['highlight=yes', 'highlight=TRUE', 'highlight=true&highlight=true'])('a bad parameter is a 400: %s', async (query) => {
  expectErrors(await service.client.get(`/api/content?${query}`), ['highlight']);
});

it('large pages, which another thread renders, and deep pages have highlights', async () => {
  const large = await startService();
  const items = Array.from({ length: 1_210 }, (_, n) => ({ name: `Kettle ${n}`, data: n < 10 ? 'x'.repeat(100_000) : '' }));
  await storeContent(large.database, items);
  await large.indexed();
  const marked = async (parameters: Record<string, string | number>): Promise<unknown[]> => {
    const { body } = await large.client.list({ prompt: 'kettles', highlight: 'true', ...parameters });
    return body.content.flatMap(({ highlights }) => highlights?.name);
  };
  const namesOf = (ns: number[]): string[] => ns.map((n) => `<mark>Kettle</mark> ${n}`);
  expect(await marked({ sort: 'contentId' })).toEqual(namesOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  expect(await marked({ sort: 'contentId', page: 240, size: 5 })).toEqual(namesOf([1_200, 1_201, 1_202, 1_203, 1_204]));
  await large.stop();
});

it('an index of mapping version 2 is a 503 with highlight=true only', async () => {
  const older = await startApiAlone();
  await older.client.upload({ name: 'dusk' });
  await createVersion2Index({ ...older, alias: older.env['CONTENT_ALIAS'] ?? '' });
  const { detail } = expectProblem(await older.client.list({ prompt: 'dusk', highlight: 'true' }), 503);
  expect(detail).toMatch(/Highlights.*index:rebuild is due/);
  expect((await older.client.list({ prompt: 'dusk' })).status).toBe(200);
  await older.stop();
});

it('an index of mapping version 4 has highlights', async () => {
  const older = await startApiAlone();
  await older.client.upload({ name: 'dusk' });
  await createVersion4Index({ ...older, alias: older.env['CONTENT_ALIAS'] ?? '' });
  const { body } = await older.client.list({ prompt: 'dusk', highlight: 'true' });
  expect(body.content.map(({ highlights }) => highlights?.name)).toEqual([['<mark>dusk</mark>']]);
  await older.stop();
});
