import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stemOf, termsOf } from '@ugc/api/search/highlight/terms';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import { textRulesOf, type TextRules } from '@ugc/shared/search-text/text-rules';
import fc from 'fast-check';
import { readFile, readdir } from 'node:fs/promises';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, type Stores } from '../support/processes/service.ts';

/** Elasticsearch analyzes at most 10,000 tokens at a time. */
const BATCH = 1_000;
const SUFFIXES =
  'ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ism ate ous ive ize ion sion tion s sses ies es ed ing eed y e ll ly';

const INDEX = 'highlight-analysis';
/** The known differences are too rare to be found every time. */
const SEED = 20_261_122;

let stores: Stores;
beforeAll(async () => {
  stores = openStores(await createEnvironment());
  await stores.elasticsearch.indices.create({ index: INDEX, ...INDEX_BODY });
});
afterAll(async () => {
  await stores.elasticsearch.indices.delete({ index: INDEX });
  await stores.close();
});

/** @returns the terms of each text, which contains no line feed */
async function analyze(analyzer: 'english' | 'folded', texts: string[]): Promise<string[][]> {
  const results: string[][] = [];
  for (let first = 0; first < texts.length; first += BATCH) {
    const batch = texts.slice(first, first + BATCH);
    const { tokens = [] } = await stores.elasticsearch.indices.analyze({ index: INDEX, analyzer, text: batch.join('\n') });
    let [start, next] = [0, 0];
    for (const text of batch) {
      const terms: string[] = [];
      for (; (tokens[next]?.start_offset ?? Infinity) < start + text.length; next += 1) terms.push(tokens[next]?.token ?? '');
      results.push(terms);
      start += text.length + 1;
    }
  }
  return results;
}

async function expectSameTerms(texts: string[], rules: TextRules): Promise<void> {
  const folded = texts.map((text) => rules.fold(text.replace(/[\r\n\u2028\u2029]/g, ' ')));
  const expected = await analyze('folded', folded.map(rules.separate));
  const different = folded.map((text, n) => ({ text, terms: termsOf(text, rules).map((term) => term.text), expected: expected[n] ?? [] }));
  expect(different.filter(({ terms, expected }) => terms.join('|') !== expected.join('|'))).toEqual([]);
}

async function englishWords(): Promise<string[]> {
  const docs = new URL('../../docs/', import.meta.url);
  const documents = (await readdir(docs)).filter((name) => name.endsWith('.md')).map((name) => new URL(name, docs));
  const files = [new URL('../../services/api/demo/collection.json', import.meta.url), ...documents];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [
    ...new Set(
      texts
        .join(' ')
        .toLowerCase()
        .match(/[a-z]+/g),
    ),
  ];
}

describe('the stems of highlights are those of Elasticsearch', () => {
  const expectSameStems = async (words: string[]): Promise<void> => {
    const expected = await analyze('english', words);
    const different = words.map((word, n) => ({ word, stem: stemOf(word) ?? '', expected: expected[n]?.join(' ') ?? '' }));
    expect(different.filter(({ stem, expected }) => stem !== expected)).toEqual([]);
  };

  it('for the words of the demo collection and of the documentation', async () => {
    const words = await englishWords();
    expect(words.length).toBeGreaterThan(3_000);
    await expectSameStems(words);
  });

  it('for stems of all kinds with one and two suffixes', async () => {
    const suffixes = SUFFIXES.split(' ');
    const stems = 'b be bet sky happi hop hopp fil fall tr troubl relat condit ration val radic electr form good adopt communic ceas rol y yy 1 я'.split(' '); // prettier-ignore
    const words = stems.flatMap((stem) => suffixes.flatMap((one) => [`${stem}${one}`, ...suffixes.map((two) => `${stem}${one}${two}`)]));
    await expectSameStems([...new Set([...suffixes, ...words])].filter((word) => !word.includes('yy')));
  });

  it('for random words', async () => {
    const word = fc.string({ unit: fc.constantFrom(...'aeioubcdlmnrstvz'), minLength: 1, maxLength: 9 });
    const suffix = fc.constantFrom('', ...SUFFIXES.split(' '));
    const words = fc.sample(fc.tuple(word, suffix).map(([stem, end]) => `${stem}${end}`), { numRuns: 20_000, seed: SEED }); // prettier-ignore
    await expectSameStems([...new Set(words)]);
  });
});

describe.each([5, 6])('the terms of highlights are those of Elasticsearch, by the rules of mapping version %s', (version) => {
  const rules = textRulesOf(version);

  it('for texts of all scripts', async () => {
    await expectSameTerms([
      ...["The dog's bowl, dogs' O’Neill's rock'n'roll 'quoted'", 'snake_case node.js 3.14 1,000 12:30 e-mail it·s a.b.c', 'C++ .net r2-d2 3/4 2½ x²'],
      ...['東京都の夜 カタカナ ｶﾞｷﾞ 人々 〇', '한국어 ㅋㅋ', 'ภาษาไทย12บาท น้ำใจ abcไทย', 'សួស្តីពិភពលោក', 'မင်္ဂလာပါကမ္ဘာ', 'ພາສາລາວ'],
      ...['مُحَمَّد قصّة ٢٠٢٤ می‌خواهم', 'צה״ל ג׳ירפה פרופ׳ "ציטוט"', 'हिन्दी फ़िल्म', 'Ёлка за\u0301мок', 'Οδυσσέας', 'İstanbul Straße Łódź ɓat ŋa'],
      ...['👍🏽 👩🏽‍💻👨‍👩‍👧‍👦 🇩🇪🇫🇷 ❤️ ★★☆ ☂ 1️⃣ ©', 'a👍b 5★ star', 'Lego™ ①②', `${'x'.repeat(600)} ${'𝔘'.repeat(300)}`],
    ], rules); // prettier-ignore
  });

  it('for every character of common scripts between two letters', async () => {
    // Latin to Georgian, Indic and South-East Asian scripts, symbols, Chinese, Japanese and Korean, emoji; without
    // letters that are newer than the tokenizer's Unicode 12.
    const ranges = [[0x20, 0x590], [0x5d0, 0x600], [0x606, 0x6dd], [0x900, 0xe00], [0xe01, 0xf00], [0x1e00, 0x2000], [0x2030, 0x203f], [0x2600, 0x2700], [0x3040, 0x3100], [0x4e00, 0x9ff0], [0xac00, 0xd7a4], [0x1f300, 0x1f650], [0x1f680, 0x1f6ff]]; // prettier-ignore
    const texts = ranges.flatMap(([from = 0, to = 0]) =>
      Array.from({ length: to - from }, (_, n) => `a${String.fromCodePoint(from + n)}b`),
    );
    await expectSameTerms(
      texts.filter((text) => !/\p{Cn}|\p{Cf}|[\u0c5c\u0c5d\u0cdc\u0cdd\u0d04]/u.test(text)),
      rules,
    );
  });

  it('for random texts', async () => {
    const parts = ['a', 'B', 'é', 'ß', '1', '٢', "'", '"', '.', ',', ':', '-', '_', ' ', '/', '+', 'я', 'ب', 'א', '東', 'ひ', 'カ', 'ー', 'ッ', 'ᴄ', ...(version > 5 ? ['🅰'] : []), '한', 'ก', 'क', '👍', '👩‍💻', '🇩🇪', '½', '™', "'s", 'a\u0301']; // prettier-ignore
    await expectSameTerms(fc.sample(fc.string({ unit: fc.constantFrom(...parts), maxLength: 12 }), { numRuns: 10_000, seed: SEED }), rules);
  });
});
