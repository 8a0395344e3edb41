import { describe, expect, it, jest } from '@jest/globals';
import { NO_FIELDS } from '@ugc/fields/definition';
import { checkItem } from '@ugc/items/changes/item-rules';
import { visibleText } from '@ugc/items/fields/text';
import { highlightItem } from '@ugc/api/search/highlight/fragments';
import { normalizePrompt } from '@ugc/api/search/insights/prompt-counts';
import { similarQuery } from '@ugc/api/search/similar/find-similar';
import { toDocument } from '@ugc/indexer/documents/document';
import { connectEmbeddingService } from '@ugc/shared/embeddings/embedding-service';
import { MarkFinder } from '@ugc/text/marks/mark-finder';
import { qualityOf } from '@ugc/indexer/documents/quality';
import { foldedUnits } from '@ugc/text/words/fold-text';
import { normalized } from '@ugc/text/words/normalized';
import { isBlank } from '@ugc/text/words/is-blank';
import { nameKey, tagKey } from '@ugc/text/rules/keys';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { parseSynonyms } from '@ugc/text/prompt/parse-synonyms';
import { replaceWords } from '@ugc/text/prompt/replace-words';
import { typedOtherwise } from '@ugc/text/forms/accents';
import fc from 'fast-check';
import { runs } from '../support/jest/long.ts';
import { anyText } from '../support/search/any-text.ts';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { EmbeddingServer } from '../support/servers/embedding-server.ts';

describe('no normalization gets more than 30 marks in a row, which it would sort in quadratic time', () => {
  // Marks of several classes, those that become several, those that compose with each other, and what becomes a mark.
  const MARKS = '\u0301 \u0316 \u0345 \u05b0 \u3099 \u0344 \u0f75 \u20dd \u0903 \u{113c2} \u{16128} \uff9e \uff9f \u{16d67}'.split(' ');
  // What is removed, replaced or composed before a later normalization, and what only looks like an end.
  const BETWEEN = '\u034f \ufe0f \u200d \u200b \u00ad \u0640 \u093c \u{e0061} \u{1f3fb} \u1161 \u11a8 \u3160 \uffc2'.split(' ');
  const ANY_MARK = String.raw`[\p{M}\uff9e\uff9f\u{16d67}-\u{16d6a}]`;
  const TOO_MANY = new RegExp(`(?:${ANY_MARK}[\\u1160-\\u11ff\\u3131-\\u318e\\uffa0-\\uffdc]*){31}`, 'u');

  const marks = fc.constantFrom('', ...BETWEEN).chain((between) => {
    const mark = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...MARKS).map((one) => one + between) }, fc.constantFrom(...BETWEEN));
    return fc.array(mark, { minLength: 40, maxLength: 100 }).map((all) => all.join(''));
  });
  const base = fc.constantFrom('a', 'İ', 'م', 'क', '한', 'か', 'ば', 'ก', '👍', 'c+', ' ');
  const text = fc.tuple(base, marks, anyText('-', '"', '\u0301')).map(([letter, many, more]) => `${more} ${letter}${many}${more}`);

  const finder = new MarkFinder({ mappingVersion: NEWEST_RULES.mappingVersion, terms: [{ by: 'beginning', text: 'a' }, { by: 'literal', text: 'c+' }] }); // prettier-ignore
  const limits = { ...defaultEnv() };
  const item = (name: string) => ({ name, description: name, tags: [name], creatorName: name });
  const WAYS: [string, (text: string) => unknown][] = [
    ['the document of an item', (name) => toDocument(indexedContent(item(name)), NEWEST_RULES)],
    ['a name', (name) => [NEWEST_RULES.nameKeys(name), NEWEST_RULES.nameSortKey(name), tagKey(name, NEWEST_RULES)]],
    [
      'the limits of an item',
      (name) => outcomeOf(() => checkItem({ before: undefined, edit: { ...item(name), data: '' } }, { limits, declared: NO_FIELDS })),
    ],
    ['marks', (name) => highlightItem(item(name), finder)],
    ['the length of a searched text', foldedUnits],
    ['similar items', (name) => similarQuery({ contentId: 1, ...item(name) }, [], NEWEST_RULES)],
    ['a prompt', (prompt) => parsePrompt(prompt, NEWEST_RULES)],
    ['another way to write a word of a prompt', typedOtherwise],
    ['a prompt that is corrected', (prompt) => replaceWords(prompt, NEWEST_RULES, new Map())],
    ['a prompt that is counted', normalizePrompt],
    ['a synonym', (word) => parseSynonyms(Buffer.from(`${word}, other`))],
  ];

  it.each(WAYS)('of %s', (_what, read) => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    try {
      fc.assert(
        fc.property(text, (hostile) => {
          normalize.mockClear();
          read(hostile);
          for (const normalized of normalize.mock.contexts) expect(String(normalized)).not.toMatch(TOO_MANY);
        }),
        { numRuns: runs(60, 500) },
      );
    } finally {
      normalize.mockRestore();
    }
  });

  it('of what an embedding service gets, which normalizes it', async () => {
    const server = await EmbeddingServer.start();
    try {
      const service = connectEmbeddingService({ EMBEDDINGS_URL: `${server.url}/embeddings` });
      await service?.embed([`a${'\u0301\u0316'.repeat(5_000)}`, 'plain'], { model: 'm', dimensions: null }, { timeoutMs: 10_000 });
      expect(server.texts).toEqual([`a${'\u0301\u0316'.repeat(15)}`, 'plain']);
    } finally {
      await server.stop();
    }
  });

  it('and the limit takes linear time, whatever is between the marks', () => {
    for (const between of ['', ...BETWEEN, '\u1161'.repeat(500)]) {
      const hostile = `a${MARKS.map((mark) => mark + between)
        .join('')
        .repeat(400_000 / MARKS.length / (1 + between.length))}`;
      expect(normalized(hostile, 'NFKC')).toBeDefined();
    }
  });
});

describe('a description of one kind of characters', () => {
  const CATEGORIES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn'.split(' ');
  const CHARACTERS = Array.from({ length: 0x30000 }, (_, code) => code)
    .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
    .map((code) => String.fromCodePoint(code));
  const LENGTH = 10_000;
  const limits = { ...defaultEnv() };

  /** The characters whose searched form is longest, or the first ones. */
  function worstOf(category: string, count: number): string[] {
    const ofCategory = CHARACTERS.filter((character) => new RegExp(`^\\p{${category}}$`, 'u').test(character));
    const unitsOf = (character: string): number => NEWEST_RULES.fold(character).length / character.length;
    return ofCategory.toSorted((one, other) => unitsOf(other) - unitsOf(one)).slice(0, count);
  }

  it.each(CATEGORIES)('is refused, or has at most two terms for each of its characters: %s', (category) => {
    for (const character of worstOf(category, runs(2, 40))) {
      const description = character.repeat(Math.floor(LENGTH / character.length));
      const folded = NEWEST_RULES.fold(description);
      const terms = NEWEST_RULES.separate(folded).split(/\s+/u).length;
      const isRefused = outcomeOf(() =>
        checkItem({ before: undefined, edit: { name: 'x', description, data: '', tags: [] } }, { limits, declared: NO_FIELDS }),
      );
      expect({ character, isBounded: isRefused || (folded.length <= 2 * LENGTH && terms <= 2 * LENGTH + 1) }).toMatchObject({
        isBounded: true,
      });
    }
  });
});

/** @returns whether the function throws */
function outcomeOf(check: () => void): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}

describe('nameKey', () => {
  it.each([
    ['  Café   Müller ', 'cafe muller'],
    ['C++', 'c++'],
    ['東京 の\u3000夜', '東京 の 夜'],
    ['', ''],
  ])('is folded, with single blanks: %j', (name, key) => {
    expect(nameKey(name, NEWEST_RULES)).toBe(key);
  });

  it('differs for long names that differ at their end only, and fits into a term', () => {
    const keys = ['a', 'b'].map((end) => nameKey('\ufdfa'.repeat(10_000) + end, NEWEST_RULES));
    expect(keys[0]).not.toBe(keys[1]);
    for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThan(32_766);
  });
});

describe('the rules of the mapping', () => {
  const { fold, separate, nameKeys, sortKey, nameSortKey } = NEWEST_RULES;

  it.each([
    ['small capitals', 'ᴛʜᴇ ꜱɪʟᴠᴇʀ ʟᴀᴍᴘ', 'the silver lamp'],
    ['letters in black squares and circles', '🅱🅾🅻🅳 🅐🅩', 'bold az'],
    ['rare Latin letters', 'Ɓala ŋgoni', 'bala ngoni'],
  ])('fold %s to plain letters', (_what, text, folded) => {
    expect(fold(text)).toBe(folded);
    expect(fold(folded)).toBe(folded);
  });

  it('separate katakana, so that a word is found inside of a compound', () => {
    expect(separate(fold('ウェブサーバー入門 ｻｰﾊﾞｰ'))).toBe('ウ ェ ブ サ ー バ ー入門 サ ー バ ー');
  });

  it.each([
    ['punctuation', 'Who Stole the Gryphon?', 'who stole the gryphon'],
    ['a leading article', 'The Lantern', 'lantern'],
    ['an elided article', 'L’Amour', 'amour'],
    ['a hyphen and a dash', 'Pixel-Art — Vol. 2', 'pixel art vol 2'],
    ['anything but symbols that are meant', 'C++ & .NET!', 'c++ .net'],
    ['an article that is not the whole name', 'The', 'the'],
    ['its apostrophe', 'Sailor’s Knot', 'sailors knot'],
  ])('find a name without %s', (_what, name, loose) => {
    expect(nameKeys(name).loose).toContain(`\0${loose}`);
  });

  it('find a name without letters and digits only as it is written', () => {
    expect(nameKeys('?!')).toEqual({ whole: '?!', loose: [], joined: [] });
  });

  it.each([
    ['NumPy', 'num py', true],
    ['mat-plot-lib', 'matplotlib', true],
    ['The Light House', 'lighthouse', true],
    ['lodash', 'lo dash', true],
    ['La Tex', 'latex', true],
    ['Light House', 'the lighthouse', true],
    ['C++', 'c', false],
    ['C++ Builder', 'c builder', false],
  ])('find a name however its words are joined, with the symbols that are meant: %s, %s', (name, prompt, isFound) => {
    expect(nameKeys(name).joined.some((key) => nameKeys(prompt).joined.includes(key))).toBe(isFound);
  });

  it('sort names, and not creators, without their leading article', () => {
    const names = ['Boat', 'The Cat', 'El Dorado', 'L’eau', 'Farm', 'The', 'Theory'];
    const by = (key: (text: string) => string) => (one: string, other: string) => (key(one) < key(other) ? -1 : 1);
    expect(names.toSorted(by(nameSortKey))).toEqual(names);
    expect(names.toSorted(by(sortKey))).toEqual(['Boat', 'El Dorado', 'Farm', 'L’eau', 'The', 'The Cat', 'Theory']);
  });

  it.each([
    ['letters with accents and of their own', ['Æblekage', 'Aldo', 'Da Nang', 'Đa Nang 2', 'lodz 1', 'Łódź 2', 'Zebra']],
    ['the first letter or digit', ['alpha', '“beta”', '#delta 4', '...epsilon', '¿gamma?']],
    ['the value of numbers', ['7 seas', 'Chapter 2', 'Chapter 10', 'Chapter 010b', 'Chapter 1,000', 'chapter 12345678901234567890']],
    ['styled letters', ['cat a', 'ᴄat b', '🅒at c']],
  ])('sort names by %s', (_what, names) => {
    const compare = (one: string, other: string): number => (sortKey(one) < sortKey(other) ? -1 : 1);
    expect(names.toReversed().toSorted(compare)).toEqual(names);
  });

  it('sort numbers of any length by their value', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 60n });
    fc.assert(
      fc.property(number, number, (one, other) => {
        expect(sortKey(`no ${one}`) < sortKey(`no ${other}`)).toBe(one < other);
      }),
    );
  });

  it('sort by keys that are shorter than the longest term that Lucene accepts', () => {
    expect(Buffer.byteLength(sortKey('\uFDFA'.repeat(1_000)))).toBeLessThan(32_766);
  });
});

describe('a text is blank', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \t\r\n\u0085\u00a0\u1680\u2003\u2028\u3000'],
    ['control characters', '\u0001\u001f\u007f\u009f'],
    ['zero-width characters and a byte order mark', '\u200b\u200c\u200d\u2060\ufeff'],
    ['direction marks', '\u061c\u200e\u202e\u2066\u2069'],
    ['soft hyphens and joiners', '\u00ad\u034f\u180e'],
    ['fillers of Hangul', '\u115f\u1160\u3164\uffa0'],
    ['variation selectors and tags', '\ufe0f\u{e0101}\u{e0041}\u{e007f}'],
    ['blanks of Braille, music and Khitan', '\u2800\u{1d159}\u{16fe4}'],
    ['signs of annotations', '\ufff9\ufffb'],
  ])('if it consists of %s', (_, text) => expect(isBlank(text)).toBe(true));

  it.each([
    'a', ' . ', '\u200ba\u200b', '한', '\u0301', '👍', '👩\u200d🚀', '\u2801', '\u0600', '\u06dd', '\u{110bd}', '\u{110cd}', '\ufffd', '\ue000', '\0',
  ])('but not if it is %j', (text) => expect(isBlank(text)).toBe(false)); // prettier-ignore

  it('also if it is long', () => {
    const blank = '\u200b\u3164'.repeat(500_000);
    expect([isBlank(blank), isBlank(`${blank}a`)]).toEqual([true, false]);
  });

  it('in the pattern of the OpenAPI document too, up to U+FFFF', () => {
    const pattern = new RegExp(visibleText({ max: 1 }).meta()?.['pattern'] as string, 'u');
    for (let code = 1; code <= 0xffff; code += 1) {
      const character = String.fromCharCode(code);
      if (pattern.test(character) === isBlank(character)) throw new Error(`U+${code.toString(16)} differs`);
    }
  });
});

const times = fc.date({ min: new Date('1970-01-01'), max: new Date('2500-01-01'), noInvalidDate: true });
const items = fc.record({
  scores: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 50 }),
  downloadsCount: fc.maxSafeNat(),
  createdAt: times,
});
type Item = typeof items extends fc.Arbitrary<infer T> ? T : never;

const of = ({ scores, ...item }: Item) =>
  qualityOf({ ...item, ratingSum: scores.reduce((sum, score) => sum + score, 0), ratingCount: scores.length });

it('the best item passes one that matches more than 16/9 times as well for no ratings, downloads or age', () => {
  fc.assert(
    fc.property(items, items, (a, b) => {
      expect(of(a).qualityFactor / of(b).qualityFactor).toBeLessThanOrEqual(16 / 9);
    }),
  );
});

it('a better rating, a download and a later upload never lower the quality, nor the factor', () => {
  fc.assert(
    fc.property(items, times, (item, later) => {
      const before = of(item);
      const improved: Item[] = [
        { ...item, scores: [...item.scores, 5] },
        { ...item, downloadsCount: item.downloadsCount + 1 },
        ...(later > item.createdAt ? [{ ...item, createdAt: later }] : []),
      ];
      for (const after of improved.map(of)) {
        expect(after.quality).toBeGreaterThanOrEqual(before.quality);
        expect(after.qualityFactor).toBeGreaterThanOrEqual(before.qualityFactor);
        expect(Number.isFinite(after.quality) && after.quality > 0).toBe(true);
      }
    }),
  );
});

it('an item without ratings, downloads and age has the factor 1, so that a collection without them is sorted by relevance', () => {
  expect(of({ scores: [], downloadsCount: 0, createdAt: new Date('2026-01-01') })).toEqual({ quality: 3.5, qualityFactor: 1 });
});

it('the order of two items does not depend on when they are indexed', () => {
  const older = of({ scores: [5], downloadsCount: 3, createdAt: new Date('2020-01-01') });
  const newer = of({ scores: [5], downloadsCount: 3, createdAt: new Date('2025-01-01') });
  expect(newer.quality / older.quality).toBeCloseTo(Math.E, 2);
  expect(newer.qualityFactor / older.qualityFactor).toBeCloseTo(1.04, 1);
});
