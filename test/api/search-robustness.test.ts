import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startCluster } from '../support/cluster/cluster.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { storeContent } from '../support/database/stored-content.ts';

/** The limit on the clauses of a query is 1,024, as on a server with little memory and many cores. */
const LOWEST_CLAUSE_LIMIT = { 'thread_pool.search.size': 1_000 };
/** Of one list: the most that any of these prompts takes is six. */
const MAX_SEARCHES = 8;
const REPEATED_AT_MOST = 5;
const [MAX_LOOKED_UP, MAX_CORRECTED, MAX_FAR, MAX_BEGINNINGS] = [32, 16, 4, 4];
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Each word is one typing error away from many others, the most expensive case of fuzzy matching. */
const SIMILAR = Array.from({ length: 26 * 26 }, (_, n) => `b${LETTERS[n % 26]}${LETTERS[Math.floor(n / 26)]}`);

describe('a prompt is never an error and matches the same items in every sort order', () => {
  const service = forAllTests(() =>
    startCluster({ elasticsearch: LOWEST_CLAUSE_LIMIT, proxied: ['elasticsearch'] }, { LIST_TIMEOUT_MS: '30000' }),
  );
  let searches = 0;
  /** The lines of search requests, each a header or a search. */
  let lines: string[] = [];
  beforeAll(async () => {
    await storeContent(service.database, [
      { name: 'Lighthouse at dusk', description: 'to be or not to be 東京の夜 🎉', tags: ['a', 'b'] },
      { name: 'The long one', description: 'aaa '.repeat(300) },
      { name: 'The wide one', description: SIMILAR.join(' ') },
      ...Array.from({ length: 20 }, (_, n) => ({ name: `${SIMILAR[n * 7]} ${n}`, description: SIMILAR.slice(n, n + 9).join(' ') })),
    ]);
    await service.indexed();
    service.proxies.elasticsearch?.intercept(({ path, body }) => {
      if (/_m?search/.test(path)) {
        searches += 1;
        lines.push(...body.split('\n'));
      }
      return undefined;
    });
  });

  /** @returns the matching ids in ascending order */
  async function find(prompt: string, sort: string): Promise<number[]> {
    let response = await service.client.list({ prompt, sort, size: 200 });
    // A busy machine may end a list by its time-out; an error that the prompt causes would come again.
    for (let repeated = 0; response.status === 500 && repeated < REPEATED_AT_MOST; repeated += 1)
      response = await service.client.list({ prompt, sort, size: 200 });
    if (response.status !== 200)
      throw new Error(`${JSON.stringify(prompt.slice(0, 40))} sorted by ${sort} returned ${response.status}: ${response.text}`);
    expect(response.body.totalElements).toBe(response.body.numberOfElements);
    return response.body.content.map((item) => item.contentId).sort((a, b) => a - b);
  }

  /** The cost of a list is bounded, whatever its prompt. The time that it takes depends on the machine. */
  async function expectFewSearches(prompt: string): Promise<void> {
    searches = 0;
    const { status } = await service.client.list({ prompt, sort: 'relevance', size: 200 });
    if (status === 200) expect(searches).toBeLessThanOrEqual(MAX_SEARCHES);
  }

  /** @returns the lines with the text that a list with this prompt sends */
  async function linesOf(prompt: string, text: string): Promise<string[]> {
    lines = [];
    await find(prompt, 'relevance');
    return lines.filter((line) => line.includes(text));
  }

  const wordsOf = (line: string): string[] =>
    String((JSON.parse(line) as { suggest: { proposals: { text: string } } }).suggest.proposals.text).split(' ');

  async function expectSameForEverySort(prompt: string, sorts: string[]): Promise<void> {
    const [first, ...others] = await Promise.all(sorts.map((sort) => find(prompt, sort)));
    for (const other of others) expect(other).toEqual(first);
  }
  const SORTS = ['relevance', 'relevance,asc', 'createdAt,asc', 'name,desc'];

  const upTo = (length: number, part: string): string => [...part.repeat(Math.ceil(length / [...part].length))].slice(0, length).join('');
  const everyOther = (characters: string[]): string => characters.slice(0, 500).join(' ');
  const PROMPTS: [string, string][] = [
    ['500 words of one letter', upTo(1_000, 'a ')],
    ['500 different words', everyOther(Array.from({ length: 500 }, (_, n) => String.fromCodePoint(0x4e00 + n)))],
    ['250 similar words', SIMILAR.slice(0, 250).join(' ')],
    ['250 similar words, hyphenated', SIMILAR.slice(0, 250).join('-')],
    ['250 similar words between slashes', SIMILAR.slice(0, 250).join('/')],
    ['200 similar words excluded', SIMILAR.slice(0, 200).map((word) => `-${word}`).join(' ')],
    ['a quotation of 250 similar words', `"${SIMILAR.slice(0, 249).join(' ')}"`],
    ['100 misspelt words', SIMILAR.slice(0, 100).map((word) => `${word}q${word}`).join(' ')],
    ['100 pairs of words', SIMILAR.slice(0, 100).map((word) => word.slice(1)).join(' ')],
    ['a long word that is not finished', `${SIMILAR.slice(0, 60).join(' ')} lighthousekeeper`],
    ['20 long words', Array.from({ length: 20 }, (_, n) => 'a'.repeat(48 - n) + 'b').join(' ')],
    ['families of emoji with letters between them', upTo(1_000, 'ab👩‍👩‍👧')],
    ['60 quotations', SIMILAR.slice(0, 60).map((word) => `"${word} ${word}"`).join(' ')],
    ['60 excluded quotations', SIMILAR.slice(0, 60).map((word) => `-"${word} ${word}"`).join(' ')],
    ['one word of 1,000 letters', 'a'.repeat(1_000)],
    ['one word of 1,000 letters, excluded', `-${'a'.repeat(999)}`],
    ['one quoted word of 998 letters', `"${'a'.repeat(998)}"`],
    ['1,000 ideographs', Array.from({ length: 1_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')],
    ['one ideograph 1,000 times', '東'.repeat(1_000)],
    ['1,000 different emoji', Array.from({ length: 1_000 }, (_, n) => String.fromCodePoint(0x1f300 + n)).join('')],
    ['one emoji 1,000 times', '🎉'.repeat(1_000)],
    ['families of emoji', upTo(1_000, '👩‍👩‍👧')],
    ['1,000 combining accents', `a${'\u0301'.repeat(999)}`],
    ['one ligature of a sentence 1,000 times', '\ufdfa'.repeat(1_000)],
    ['1,000 sharp s', 'ß'.repeat(1_000)],
    ['Thai without spaces', upTo(1_000, 'ประเทศไทย')],
    ['misspelt words of Thai', upTo(1_000, 'กระตายนกฮุกดอกทานตะวน ')],
    ['250 similar words of Korean', Array.from({ length: 250 }, (_, n) => String.fromCharCode(0xb450 + n, 0xbd80 + n)).join(' ')],
    ['right to left with marks', upTo(1_000, '\u202eשלום مرحبا\u202c ')],
    ['control characters', Array.from({ length: 31 }, (_, n) => String.fromCodePoint(n + 1)).join('') + '\u007f\u0085\u2028\ufeff'],
    ['noncharacters', '\ufffe\uffff\u{1fffe}\u{10ffff}\ufdd0'],
    ['letters of supplementary planes', upTo(1_000, '\u{1d400}\u{20000}\u{e0041}')],
    ['only quotation marks', '"'.repeat(1_000)],
    ['only an odd number of quotation marks', '"'.repeat(999)],
    ['only hyphens', '-'.repeat(1_000)],
    ['only backslashes', '\\'.repeat(1_000)],
    ['only stars', '*'.repeat(1_000)],
    ['opening brackets', '([{<'.repeat(250)],
    ['numbers', Array.from({ length: 140 }, (_, n) => n * 7919).join(' ')],
    ['one long number', '9'.repeat(1_000)],
    ['dates and addresses', '2026-01-01T00:00:00.000+00:00 a@b.test https://x.test/?a=b&c=d#e 10.0.0.1'],
    ['every stop word', 'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'],
    ...['name:x', '*', 'a~2', 'a^9', '/.*/', '/[/', 'AND OR NOT', 'AND', '[1 TO', '{1 TO 2]', '{"match_all":{}}', 'a AND (b', '\\', '\\u0000', '_exists_:x', '"a b"~3', 'a* b* c*', '-', '--a', '-"', '"-', '-"a', '<!--', '%00', '$', '\u2028'].map((prompt): [string, string] => [`the text ${JSON.stringify(prompt)}`, prompt]),
  ]; // prettier-ignore

  it.each(PROMPTS)('when it is %s', async (_, prompt) => {
    expect([...prompt].length).toBeLessThanOrEqual(1_000);
    await expectFewSearches(prompt);
    await expectSameForEverySort(prompt, SORTS);
  }); // prettier-ignore

  it('and it looks up 32 words, corrects 16, 4 of them by two edits, and searches 4 as beginnings, whatever its length', async () => {
    lines = [];
    // Words with a digit are looked up, but not corrected.
    const [words, misspelt] = [SIMILAR.slice(0, 60).map((word) => `${word}7`), SIMILAR.slice(60, 110).map((word) => `zq${word}qz${word}`)];
    const lookups = await linesOf(words.join(' '), '"terminate_after":1');
    // One more is for all joined words.
    expect(lookups.length).toBe(MAX_LOOKED_UP + 1);
    // Corrections are counted once among those with one edit, and of some words once among others.
    expect((await linesOf(misspelt.join(' '), '"items":{"filters"')).length).toBe(MAX_CORRECTED + MAX_FAR + MAX_BEGINNINGS);
    const corrections = lines.filter((line) => line.includes('"max_edits":2'));
    expect(corrections.flatMap((line) => wordsOf(line)).length).toBe(MAX_FAR);
  });

  it('and it looks up its words once, also when no item has all of them', async () => {
    lines = [];
    expect(await find('long wide', 'relevance')).toHaveLength(2);
    expect(lines.filter((line) => line.includes('"suggest"'))).toHaveLength(1);
  });

  it('when it is random text or random words and operators', async () => {
    const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).map((text) => text.replace('\0', ' '));
    const anything = fc.array(character, { maxLength: 1_000, size: 'max' }).map((parts) => parts.join(''));
    const wordLike = fc
      .array(fc.constantFrom(...'light house dusk to be not the bab bac 東 🎉 é - " ( ) * : ~ / \\ . \u00a0 \n'.split(' '), ' ', ' ', ' '), { maxLength: 300, size: 'max' })
      .map((parts) => [...parts.join('')].slice(0, 1_000).join('')); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, wordLike), (prompt) => expectSameForEverySort(prompt, ['relevance', 'createdAt,asc'])),
      { numRuns: 150 },
    );
  });
});
