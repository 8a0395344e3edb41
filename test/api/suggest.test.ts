import { beforeAll, describe, expect, it } from '@jest/globals';
import { ApiEnv } from '@ugc/api/env';
import { Caller } from '@ugc/api/limits/caller';
import { createTraffic } from '@ugc/api/limits/traffic';
import { Session } from '@ugc/api/search/session';
import { findCompletions } from '@ugc/api/search/suggestions/suggest';
import type { Suggestions } from '@ugc/api/search/suggestions/suggestions';
import { parseEnv } from '@ugc/shared/config/env';
import { tagKey } from '@ugc/text/rules/keys';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { runs } from '../support/jest/long.ts';
import { TEST_SHARDS } from '../support/processes/environment.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { newestIndex } from '../support/search/newest-index.ts';

type Completion = Suggestions['completions'][number];

class CountingCaller extends Caller {
  bytes = 0;
  override reserveResponse() {
    return Promise.resolve({ reach: () => Promise.resolve(), end: (bytes: number) => void (this.bytes += bytes) });
  }
}

const pathOf = (prompt: string): string => `/api/content/suggest?${new URLSearchParams({ prompt })}`;

/** @returns the body, with each completion written as `type: text` */
async function suggest(prompt: string): Promise<{ completions: string[]; correction?: string }> {
  const { status, body, text } = await service.client.get(pathOf(prompt));
  if (status !== 200) throw new Error(`the suggestions for ${JSON.stringify(prompt)} returned ${status}: ${text}`);
  return { ...body, completions: body.completions.map((completion: Completion) => `${completion.type}: ${completion.text}`) };
}

/** The groups use words of their own, and follow one another: later ones add items. */
const service = forAllTests(() => startService());

async function store(items: StoredFields[]): Promise<void> {
  await storeContent(service.database, items);
  await service.indexed();
}

const SYMBOLS = ['.*', 'a|b', 'say "hi"', 'back\\slash', '#@&<>~', '(a)[b]{1,2}?+^$-', '<1-9>', '~x', "it's; 50%/=!:_`"];

// First, because it names items by their ids.
it('the completions of a number, and of the address of the page of an item, are the item first, unless it is deleted', async () => {
  await store([{ name: 'Glass harp' }, { name: '10 ways to fold', tags: ['1st'] }, { name: 'Gone' }]);
  await service.client.send('DELETE', '/api/content/3');
  await service.indexed();
  expect((await suggest('1')).completions).toEqual(['item: #1', 'tag: 1st', 'name: 10 ways to fold']);
  for (const prompt of ['#1', 'https://ugc.example/page/?item=1']) expect((await suggest(prompt)).completions).toContain('item: #1');
  expect((await service.client.get(pathOf('1'))).body.completions[0]).toEqual({
    text: '#1',
    type: 'item',
    name: 'Glass harp',
    contentId: 1,
  });
  for (const prompt of ['3', '#3', '1 1']) expect((await suggest(prompt)).completions).not.toContain('item: #3');
});

describe('suggestions', () => {
  beforeAll(() =>
    store([
      { name: 'Lighthouse at dusk', tags: ['pixel art', 'lighthouse'], downloads: 5 },
      { name: 'The old lighthouse', tags: ['Pixel Art', 'pixelated'], downloads: 50 },
      { name: 'Lighthouse keeper', tags: ['Pixel Art', 'pixelated', 'piñata'], downloads: 7 },
      { name: 'Lighthouse builder', tags: ['pixelated'], downloads: 7 },
      { name: 'Crème brûlée', tags: ['Élan vital'] },
      { name: 'CREME  BRULEE', downloads: 1 },
      { name: 'Cat pictures', description: 'made with C++', tags: ['C#'], downloads: 90 },
      { name: 'C++ primer', tags: ['c++'], downloads: 3 },
      { name: 'Vitamin C with cats', description: 'C++', downloads: 80 },
      { name: 'Learn (C++)', downloads: 2 },
      { name: 'Asynchronous .NET' },
      { name: 'Net of a fisher' },
      { name: '東京タワー', tags: ['東京'] },
      { name: '🎲 dice tower', tags: ['🎲 dice', ...SYMBOLS] },
      { name: 'Harbour of the incomprehensibilities' },
      { name: '부드러운 두부', tags: ['두부 요리'], downloads: 4 },
      { name: '두유 병' },
      { name: '닭갈비' },
      ...['A tall stone bridge', 'NumPy', 'Mat-Plot-Lib Inline', 'lodash', 'La Tex'].map((name) => ({ name })),
      // More than are searched for one prompt.
      ...Array.from({ length: 50 }, (_, n) => ({ name: `Cat ${n}`, downloads: 100 })),
    ]),
  );
  const completionsOf = async (prompt: string): Promise<string[]> => (await suggest(prompt)).completions;

  it.each([
    ['lighthouse at', ['name: Lighthouse at dusk']],
    ['old light', ['name: The old lighthouse']],
    ['house', []],
    ['dice tower', ['name: 🎲 dice tower']],
    ['incomprehensibi', ['name: Harbour of the incomprehensibilities']],
    ['the incomprehensibi', ['name: Harbour of the incomprehensibilities']],
    ['東', ['tag: 東京', 'name: 東京タワー']],
    ['東京', ['tag: 東京', 'name: 東京タワー']],
    ['🎲', ['tag: 🎲 dice', 'name: 🎲 dice tower']],
  ])('are names that contain the prompt as consecutive words, of which the last may be unfinished: %s', async (prompt, completions) =>
    expect(await completionsOf(prompt)).toEqual(completions),
  );

  it.each([
    ['lighthouse dusk', ['name: Lighthouse at dusk']],
    ['dusk light', ['name: Lighthouse at dusk']],
    ['keeper l', ['name: Lighthouse keeper']],
    ['stone the bri', ['name: A tall stone bridge']],
    ['bridge tall', ['name: A tall stone bridge']],
    ['primer c++', ['name: C++ primer']],
    ['cats c', ['name: Vitamin C with cats']],
    ['タワー東京', ['name: 東京タワー']],
    ['タワー 東京', ['name: 東京タワー']],
    ['タワー東', ['name: 東京タワー']],
    ['タワー京東', []],
    ['京東', []],
    ['京東 タワー', []],
    ['ワータ', []],
    ['dice🎲', ['name: 🎲 dice tower']],
    ['dusk dusk keeper', []],
    ['dusk housekeeper', []],
    ['the dusk', ['name: Lighthouse at dusk']],
  ])('are names that contain the words of the prompt in any order, of which the last may be unfinished: %s', async (prompt, completions) =>
    expect(await completionsOf(prompt)).toEqual(completions),
  );

  it('have names with the words next to each other before those with all words in another order, whatever their downloads are', async () => {
    await store([
      { name: 'Gleaming brass quoit', downloads: 90 },
      { name: 'Brass rod, gleaming', downloads: 50 },
      { name: 'Brass gleaming thing', downloads: 1 },
    ]);
    expect(await completionsOf('brass gleam')).toEqual([
      'name: Brass gleaming thing',
      'name: Gleaming brass quoit',
      'name: Brass rod, gleaming',
    ]);
  });

  it.each([
    ['ㄷ', ['tag: 두부 요리', 'name: 부드러운 두부', 'name: 닭갈비', 'name: 두유 병']],
    ['두', ['tag: 두부 요리', 'name: 부드러운 두부', 'name: 두유 병']],
    ['둡', ['tag: 두부 요리', 'name: 부드러운 두부']],
    ['두부', ['tag: 두부 요리', 'name: 부드러운 두부']],
    ['부드러운 둡', ['name: 부드러운 두부']],
    ['다', ['name: 닭갈비']],
    ['달', ['name: 닭갈비']],
    ['닭ㄱ', ['name: 닭갈비']],
    ['닭갋', ['name: 닭갈비']],
  ])('of Hangul are those of the letters that are typed so far: %s', async (prompt, completions) => {
    const found = await completionsOf(prompt);
    expect(found.toSorted()).toEqual(completions.toSorted());
  });

  it.each(['กระต่าย', 'แมวน้ำ', 'ตุ๊กตา', 'ภาษาไทย ๒', 'tea ภาษาไทย', 'ພາສາລາວ', 'សួស្តីពិភពលោក', 'မင်္ဂလာပါကမ္ဘာ'])(
    'are tags of scripts without blanks at each letter: %s',
    async (tag) => {
      await store([{ name: `${tag.length}th`, tags: [tag] }]);
      for (let length = 1; length <= tag.length; length += 1) {
        const beginning = tag.slice(0, length);
        expect({ beginning, found: await completionsOf(beginning) }).toMatchObject({ found: expect.arrayContaining([`tag: ${tag}`]) });
      }
    },
  );

  it.each(['creme', 'CRÈM', ' crème ', 'crème  brul', 'creme\tb'])(
    'ignore letter case, accents and blanks, and have equal names once: %s',
    async (prompt) => expect(await completionsOf(prompt)).toEqual(['name: CREME  BRULEE']),
  );

  it.each([
    ['c++', ['tag: c++', 'name: C++ primer', 'name: Learn (C++)']],
    ['c+', ['tag: c++', 'name: C++ primer', 'name: Learn (C++)']],
    ['C++ pr', ['name: C++ primer']],
    ['learn c++', ['name: Learn (C++)']],
    ['c#', ['tag: C#']],
    ['.n', ['name: Asynchronous .NET']],
    ['net', ['name: Net of a fisher', 'name: Asynchronous .NET']],
    ['asynchronous .ne', ['name: Asynchronous .NET']],
  ])('contain the symbols of the prompt: %s', async (prompt, completions) => expect(await completionsOf(prompt)).toEqual(completions));

  it.each(SYMBOLS)('take every character of the prompt literally: %s', async (tag) => {
    for (let length = 1; length <= tag.length; length += 1) {
      const beginning = tag.slice(0, length).trim();
      const tags = (await completionsOf(beginning)).filter((completion) => completion.startsWith('tag: '));
      const matching = [...SYMBOLS, 'pixel art'].filter((other) => other.startsWith(beginning));
      expect({ beginning, tags: tags.filter((text) => !text.includes('🎲')).toSorted() }).toEqual({
        beginning,
        tags: matching.map((text) => `tag: ${text}`).toSorted(),
      });
    }
  });

  it.each(['', ' ', '\t\n', '\u200b', '\u00ad'])('for a blank prompt are empty: %j', async (prompt) =>
    expect(await suggest(prompt)).toEqual({ completions: [] }),
  );

  it.each(['x'.repeat(1_000), `${'('.repeat(299)}둡`, 'ㄷ'.repeat(300), 'ﷺ'.repeat(1_000), 'a '.repeat(500), '東'.repeat(1_000), '東'.repeat(300), 'ก'.repeat(300), 'กระต่าย'.repeat(35), `${'('.repeat(150)}${'ก'.repeat(150)}`, 'a '.repeat(149), '😀'.repeat(150), 'c++ '.repeat(75), 'c++ '.repeat(250), '.'.repeat(1_000), '"', '\\', '[', '{', '(', '*', '?', '~', '<', '&&', '\ud83c\udfb2'])(
    'never fail, whatever the prompt is: %.20s',
    async (prompt) => expect(await suggest(prompt)).toMatchObject({ completions: expect.any(Array) }),
  ); // prettier-ignore

  it.each([
    ['lighthuose at dusk', 'lighthouse at dusk', ['name: Lighthouse at dusk']],
    ['Lighthuose  AT du', 'lighthouse  AT du', ['name: Lighthouse at dusk']],
    ['pixelatde', 'pixelated', ['tag: pixelated']],
    ['stonebridge', 'stone bridge', ['name: A tall stone bridge']],
    ['old ligth\u00adhouse', 'old lighthouse', ['name: The old lighthouse']],
  ])('complete the correction of a prompt with words that no item contains: %s', async (prompt, correction, completions) => {
    expect(await suggest(prompt)).toEqual({ correction, completions });
  });

  it.each(['lighthouse', 'lightho', 'dusk keeper', 'lighthouse tower', 'qqqq'])(
    'have no correction if items contain every word, or nothing similar: %s',
    async (prompt) => expect(await suggest(prompt)).not.toHaveProperty('correction'),
  );

  it('are first the tag and the name that are typed completely, whatever others begin with them', async () => {
    const other = (n: number) => ({ name: `Brackish ${n}`, tags: [`brack${String.fromCodePoint(0x20000 + n)}`], downloads: 9 });
    await store([{ name: 'Brack', tags: ['brack'] }, { name: 'BrackIsh' }, ...Array.from({ length: 110 }, (_, n) => other(n))]);
    const completions = await completionsOf('BRACK');
    expect([completions[0], completions[4]]).toEqual(['tag: brack', 'name: Brack']);
    expect(completions).toHaveLength(8);
    expect((await completionsOf('brack ish'))[0]).toBe('name: BrackIsh');
  });

  it.each([
    ['num py', ['name: NumPy']],
    ['nump', ['name: NumPy']],
    ['mat plotlib inl', ['name: Mat-Plot-Lib Inline']],
    ['matplotlibinline', ['name: Mat-Plot-Lib Inline']],
    ['lo dash', ['name: lodash']],
    ['dicetower', ['name: 🎲 dice tower']],
    ['latex', ['name: La Tex']],
    ['n u', []],
  ])('are names however their words are joined, from four letters on: %s', async (prompt, completions) => {
    expect(await completionsOf(prompt)).toEqual(completions);
  });

  it('need two searches, and two for tags, unless nothing completes the prompt', async () => {
    const searches = async (): Promise<number> => {
      const { _all: all } = await service.elasticsearch.indices.stats({ index: service.env['CONTENT_ALIAS'] ?? '', metric: 'search' });
      return all.total?.search?.query_total ?? NaN;
    };
    const before = await searches();
    await suggest('harbour of the incompr');
    expect((await searches()) - before).toBe(2 * TEST_SHARDS);
    await suggest('pixel');
    expect((await searches()) - before).toBe(6 * TEST_SHARDS);
  });

  it('without the parameter prompt are empty', async () => {
    expect((await service.client.get('/api/content/suggest')).body).toEqual({ completions: [] });
    expect((await service.client.get('/api/content/suggest?prompt=')).body).toEqual({ completions: [] });
  });
});

describe('completions among 100 items with 32 long tags each', () => {
  const long = (beginning: string, n: number): string => `${beginning}${String.fromCodePoint(0x20000 + n).repeat(60)}`;
  const numbers = Array.from({ length: 32 }, (_, n) => n);
  beforeAll(() => store(Array.from({ length: 100 }, (_, item) => ({ name: 'Long tags', tags: numbers.map((n) => long(n === 0 ? 'ki' : 'li', 32 * item + n)) })))); // prettier-ignore

  /** @returns the completions, and the bytes that the API received for them */
  async function receive(prompt: string): Promise<{ completions: number; bytes: number }> {
    const caller = new CountingCaller(createTraffic(parseEnv(ApiEnv, service.env)), 1, new AbortController().signal);
    const source = { ...service, limits: { PAGE_MAX_BYTES: 2 ** 20, LIST_TIMEOUT_MS: 3_000 } };
    const [name = ''] = await searchedNames(service);
    const session = new Session(source, caller, {
      index: newestIndex(name, TEST_SHARDS),
      signal: caller.disconnected,
    });
    return { completions: (await findCompletions(session, prompt)).length, bytes: caller.bytes };
  }

  it.each([
    ['no tag that does not begin with the prompt', 'ki'],
    ['a bounded number of the tags that begin with it', 'li'],
  ])('receive %s', async (_, prompt) => {
    const { completions, bytes } = await receive(prompt);
    expect(completions).toBe(8);
    expect(bytes).toBeLessThan(150_000);
  });

  const searchedNames = async ({ elasticsearch, alias }: Service) => Object.keys(await elasticsearch.indices.get({ index: alias }));
});

describe('the words of a deleted item', () => {
  it('vanish from completions and corrections when the item vanishes from lists', async () => {
    await service.client.upload({ name: 'Zeppelin field', tags: ['aviation'] });
    const id = await service.client.upload({ name: 'Zeppelins above', tags: ['Aviation', 'aviator'] });
    await service.indexed();
    expect(await suggest('zeppelins')).toEqual({ completions: ['name: Zeppelins above'] });
    expect(await suggest('zepelins')).toEqual({ correction: 'zeppelins', completions: ['name: Zeppelins above'] });
    expect((await suggest('avi')).completions).toHaveLength(2);
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
    expect((await suggest('avi')).completions).toEqual(['tag: aviation']);
    expect(await service.client.search('above')).toEqual([]);
    expect(await suggest('above')).toEqual({ completions: [] });
    expect((await suggest('zepp')).completions).toEqual(['name: Zeppelin field']);
    // Still a term of the index, and the stem of a word that a live item contains.
    expect(JSON.stringify(await suggest('zepelins'))).not.toContain('zeppelins');
    expect(JSON.stringify(await suggest('zeppelins'))).not.toMatch(/above|aviator/i);
  });

  it('are not in suggestions even if the document of the item still contains them', async () => {
    const document = { contentId: 99, name: 'Ghost ship', folded: { name: 'ghost ship' }, tagKeys: [tagKey('ghost', NEWEST_RULES)] };
    const write = async (deleted: boolean) =>
      service.elasticsearch.index({
        index: service.env['CONTENT_ALIAS'] ?? '',
        id: '99',
        document: { ...document, deleted },
        refresh: true,
      });
    await write(false);
    expect((await suggest('ghost')).completions).toEqual(['tag: ghost', 'name: Ghost ship']);
    await write(true);
    expect(await suggest('ghost')).toEqual({ completions: [] });
  });
});

describe('the completions of any prompt', () => {
  type Item = { contentId: number; name: string; tags: string[]; downloads: number };

  type Completion = { text: string; type: 'tag' | 'name'; contentId?: number | undefined };

  const WORDS = ['ka', 'Kat', 'kató', 'Élan', 'elan', 'e', 'tower', 'Towers', '東京', '京', 'C++', 'c#', '.NET', 'lighthouse', 'straße'];

  const textOf = (words: number) =>
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: words }).map((chosen) => chosen.join(' '));

  const anyItem = fc.record({ name: textOf(3), tags: fc.uniqueArray(textOf(2), { maxLength: 3 }), downloads: fc.nat(3) });

  // A plain reimplementation for texts of these words.
  const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss').trim();

  const termsOf = (text: string): string[] => fold(text).match(/\p{sc=Han}|[\p{L}--\p{sc=Han}]+/gv) ?? [];

  const hasSymbols = (prompt: string): boolean =>
    fold(prompt)
      .split(/\s+/)
      .some((word) => /^(c\+\+?|c#|\.[a-z]+)$/.test(word));

  const joinedOf = (text: string): string[] => NEWEST_RULES.nameKeys(text).joined;

  // prettier-ignore

  function isCompletedBy(prompt: string, name: string): boolean {
  if (hasSymbols(prompt) && !` ${fold(name)}`.includes(` ${fold(prompt)}`)) return false;
  if (isJoinedBeginning(prompt, name)) return true;
  return hasConsecutive(name, prompt, true);
}

  function hasConsecutive(name: string, words: string, mayBeUnfinished: boolean): boolean {
    const [asked, terms] = [termsOf(words), termsOf(name)];
    const isLast = (at: number): boolean => mayBeUnfinished && at === asked.length - 1;
    const matchesAt = (start: number): boolean =>
      asked.every((term, at) => (isLast(at) ? (terms[start + at] ?? '').startsWith(term) : terms[start + at] === term));
    return asked.length > 0 && terms.some((_, start) => matchesAt(start));
  }

  function isJoinedBeginning(prompt: string, name: string): boolean {
    return joinedOf(prompt).some((key) => key.length >= 6 && joinedOf(name).some((other) => other.startsWith(key)));
  }

  function hasAllWords(prompt: string, name: string): boolean {
    const symbols = fold(prompt).split(/\s+/).filter(hasSymbols);
    if (!symbols.every((symbol) => ` ${fold(name)}`.includes(` ${symbol}`))) return false;
    if (isJoinedBeginning(prompt, name)) return true;
    const asked = fold(prompt).match(/\p{sc=Han}+|[\p{L}--\p{sc=Han}]+/gv) ?? [];
    // The words of a single one are consecutive, unless signs that are no word follow it: `c# .`.
    return (asked.length > 1 || symbols.length > 0) && asked.every((word, at) => hasConsecutive(name, word, at === asked.length - 1));
  }

  const distinct = (texts: string[]): string[] => texts.filter((text, at) => texts.findIndex((other) => fold(other) === fold(text)) === at);

  function completionsOf(items: Item[], prompt: string): Completion[] {
    if (fold(prompt) === '') return [];
    const byDownloads = items.toSorted((a, b) => b.downloads - a.downloads || b.contentId - a.contentId);
    const written = (text: string): string => fold(text).replace(/\s+/g, ' ');
    const wholeFirst = (texts: string[]): string[] =>
      texts.toSorted((a, b) => Number(written(b) === written(prompt)) - Number(written(a) === written(prompt)));
    const joinedFirst = (texts: string[]): string[] =>
      texts.toSorted((a, b) => Number(joinedOf(b)[0] === joinedOf(prompt)[0]) - Number(joinedOf(a)[0] === joinedOf(prompt)[0]));
    const consecutive = byDownloads.filter(({ name }) => isCompletedBy(prompt, name)).map(({ name }) => name);
    const anyOrder = byDownloads.filter(({ name }) => hasAllWords(prompt, name)).map(({ name }) => name);
    const names = distinct(wholeFirst(joinedFirst([...consecutive, ...anyOrder])));
    const keyOf = (tag: string): string => `${fold(tag)}\0${tag}`;
    const spellings = byDownloads.flatMap(({ tags }) => tags.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
    const matching = spellings.filter((tag) => fold(tag).startsWith(fold(prompt)));
    const counted = [...Map.groupBy(matching, (tag) => tag).values()].toSorted((a, b) => b.length - a.length).flat();
    const tags = distinct(wholeFirst(counted));
    const chosenTags = tags.slice(0, Math.max(4, 8 - names.length));
    const chosenNames = names.slice(0, 8 - chosenTags.length);
    return [
      ...chosenTags.map((text): Completion => ({ text, type: 'tag' })),
      ...chosenNames.map((text): Completion => ({
        text,
        type: 'name',
        contentId: byDownloads.find(({ name }) => name === text)?.contentId,
      })),
    ];
  }

  const SEED = Date.now();
  const service = forAllTests(() => startService());
  let items: Item[];
  beforeAll(async () => {
    const all = fc.sample(anyItem, { seed: SEED, numRuns: 50 });
    const ids = await storeContent(service.database, all);
    items = all.map((item, position) => ({ ...item, contentId: ids[position] ?? NaN }));
    for (const { contentId } of items.splice(40)) await service.client.send('DELETE', `/api/content/${contentId}`);
    await service.indexed();
  });

  it('are those that a comparison with every item finds', async () => {
    const anyBeginning = fc
      .tuple(textOf(3), fc.nat(12), fc.constantFrom('', ' '))
      .map(([text, length, blank]) => text.slice(0, length) + blank);
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBeginning, textOf(2)), fc.boolean(), async (text, isUpperCase) => {
        const prompt = isUpperCase ? text.toUpperCase() : text;
        const { body } = await service.client.get(`/api/content/suggest?${new URLSearchParams({ prompt })}`);
        const expected = completionsOf(items, body.correction ?? prompt);
        expect({ seed: SEED, prompt, ...body }).toEqual({ ...body, seed: SEED, prompt, completions: expected });
        if (completionsOf(items, prompt).length > 0) expect(body).not.toHaveProperty('correction');
      }),
      { numRuns: runs(100, 300), examples: [['c# .', false]] },
    );
  });
});
