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
import { promptKeysOf } from '@ugc/api/search/prompt/known';
import { itemKeysOf } from '@ugc/text/forms/form-keys';
import { qualityOf } from '@ugc/indexer/documents/quality';
import { foldedUnits, foldText } from '@ugc/text/words/fold-text';
import { normalized } from '@ugc/text/words/normalized';
import { isBlank } from '@ugc/text/words/is-blank';
import { extractLiterals, isCode, parseLiteral, separateChunks, splitChunks } from '@ugc/text/words/literals';
import { nameKey, tagKey } from '@ugc/text/rules/keys';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { parseSynonyms } from '@ugc/text/prompt/parse-synonyms';
import { replaceWords } from '@ugc/text/prompt/replace-words';
import { LETTERS, promptLetterKeys, typedOtherwise } from '@ugc/text/forms/accents';
import { spelledBy, spellingKeys } from '@ugc/text/forms/spelling-keys';
import { promptFormKeys } from '@ugc/text/forms/word-forms';
import fc from 'fast-check';
import { differentWords, EXAMPLE_LANGUAGES, pairsOf } from '../relevance/word-pairs.ts';
import { runs } from '../support/jest/long.ts';
import { anyText } from '../support/search/any-text.ts';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { EmbeddingServer } from '../support/servers/embedding-server.ts';

describe('foldText', () => {
  describe.each<[string, [string, string][]]>([
    ['Latin', [
      ['Crème BRÛLÉE', 'creme brulee'], ['cafe\u0301', 'cafe'], ['Straße STRASSE ẞ', 'strasse strasse ss'], ['Ångström Øre Æther', 'angstrom ore aether'],
      ['Łódź żółw', 'lodz zolw'], ['Đà Nẵng', 'da nang'], ['Þór Œuvre', 'thor oeuvre'], ['Phở ươ', 'pho uo'],
    ]],
    ['German', [['Übermäßig schön', 'ubermassig schon'], ['Ueber', 'ueber']]],
    ['Turkish', [['İSTANBUL Istanbul ıstanbul', 'istanbul istanbul istanbul'], ['Iğdır ŞİŞLİ', 'igdir sisli']]],
    ['Greek', [['Ελλάδα', 'ελλαδα'], ['ΟΔΥΣΣΕΑΣ Οδυσσέας', 'οδυσσεασ οδυσσεασ'], ['ᾠδή ϊΐ', 'ωδη ιι']]],
    ['Cyrillic', [['Ёлка ЁЖ', 'елка еж'], ['Йод и\u0306од', 'йод йод'], ['Київ Ґанок', 'київ ґанок'], ['за\u0301мок', 'замок'], ['мой мои', 'мой мои']]],
    ['Arabic', [
      ['مُحَمَّد', 'محمد'], ['مـــحمد', 'محمد'], ['أإآٱا', 'ااااا'], ['مدرسة', 'مدرسه'], ['على', 'علي'], ['مسؤول بئر', 'مسؤول بئر'],
      ['٢٠٢٤', '2024'], ['ﷲ ﻻ', 'الله لا'],
    ]],
    ['Persian', [['کتاب فارسی ۱۴۰۳', 'كتاب فارسي 1403'], ['می\u200cخواهم', 'ميخواهم']]],
    ['Hebrew', [['שָׁלוֹם', 'שלום'], ['צה״ל', 'צה"ל'], ['ג׳ירפה', "ג'ירפה"]]],
    ['Hindi', [['हिन्दी', 'हिन्दी'], ['फ़िल्म', 'फिल्म'], ['हँसी', 'हंसी'], ['१२३', '123'], ['क्\u200dष', 'क्ष']]],
    ['Tamil and Bengali', [['தமிழ்', 'தமிழ்'], ['বাংলা ভাষা', 'বাংলা ভাষা']]],
    ['Thai and Lao', [['ภาษาไทย', 'ภาษา ไทย'], ['น้ำใจ', 'น้ำใจ'], ['ราคา๑๒บาท', 'ราคา12บาท'], ['ພາສາລາວ', 'ພາສາ ລາວ']]],
    ['Khmer and Burmese', [['សួស្តីពិភពលោក', 'សួស្តី ពិភពលោក'], ['សួស្តី\u200bពិភពលោក', 'សួស្តី ពិភពលោក'], ['မင်္ဂလာပါကမ္ဘာ', 'မင်္ဂလာ ပါ ကမ္ဘာ']]],
    ['Chinese and Japanese', [['東京の夜', '東京の夜'], ['ガギ が', 'ガギ が'], ['ｶﾞｷﾞ', 'ガギ'], ['ＡＢＣ１２３', 'abc123'], ['葛\u{e0100}', '葛']]],
    ['Korean', [['한국어', '한국어'], ['\u1112\u1161\u11ab', '한']]],
    ['emoji', [
      ['👨‍👩‍👧‍👦 🏳️‍🌈', '👨‍👩‍👧‍👦 🏳‍🌈'], ['❤️ ❤', '❤ ❤'], ['👍🏽 👩🏽‍💻', '👍 👩‍💻'], ['🇩🇪 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', '🇩🇪 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
      ['1️⃣', '1'], ['👍\u200d', '👍'],
    ]],
    ['symbols', [
      ['ﬁne ⅷ ①', 'fine viii 1'], ['½ 2½', '1/2 2 1/2'], ['Lego™', 'lego '], ['don’t don´t donʼt', "don't don't don't"], ['x²', 'x2'],
      ['soft\u00adhyphen zero\u200bwidth \ufeffmark', 'softhyphen zerowidth mark'],
    ]],
  ])('in %s', (_script, rows) => {
    it.each(rows)('folds %j to %j, however the text is composed', (text, folded) => {
      for (const form of [text, text.normalize('NFC'), text.normalize('NFD')]) expect(foldText(form)).toBe(folded);
    });
  }); // prettier-ignore

  const foldable = anyText('a', 'Σ', 'I', '\u0301', '\u0345', '\u0e4d', '\u0e32', '\u200d', '👍', '\ufe0f', '½', '\ufdfa', '\ud83d');

  it.each(['\u05d9\u05b4\ufcf2', '\uab30\ufe77', '\u0301\u0e4d\u0e48\u0e32', '\u0e31\u0e32\u0e22\u0e15\u0e16\u0e2d\u0e14\u0e2f\u0e3a\u0e22\u0e24\u0e0c'])(
    'folds a folded text to itself, for example %j', (text) => expect(foldText(foldText(text))).toBe(foldText(text)),
  ); // prettier-ignore

  it('folds a folded text to itself, whatever it is', () => {
    fc.assert(
      fc.property(foldable, (text) => expect(foldText(foldText(text))).toBe(foldText(text))),
      { numRuns: runs(200, 1_000) },
    );
  });

  it('folds every character to a text that it does not change again', () => {
    const step = runs(7, 1);
    const changing = Array.from({ length: 0x20000 / step }, (_, n) => foldText(String.fromCodePoint(n * step))).filter(
      (text) => foldText(text) !== text,
    );
    expect(changing).toEqual([]);
  });

  it('keeps at most 30 marks of a letter, which would be sorted in quadratic time', () => {
    expect(foldText(`क${'\u0951\u0952'.repeat(50_000)}`).length).toBeLessThanOrEqual(31);
    expect(foldText(`क${'\u0344'.repeat(50_000)}`).length).toBeLessThanOrEqual(31);
  });
});

describe('no normalization gets more than 30 marks in a row, which it would sort in quadratic time', () => {
  // Marks of several classes, those that become several, those that compose with each other, and what becomes a mark.
  const MARKS = '\u0301 \u0316 \u0345 \u05b0 \u3099 \u0344 \u0f75 \u20dd \u0903 \u{113c2} \u{16128} \uff9e \u{16d67}'.split(' ');
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

describe('parseLiteral', () => {
  it.each([
    'c++', 'c#', 'f#', '.net', 'notepad++', '18+', 'c+',
  ])('recognizes %s as strict, because it would be another word without its symbols', (text) => {
    expect(parseLiteral(text)).toEqual({ text, strict: true });
  }); // prettier-ignore

  it.each([
    'node.js', 'asp.net', 'r2-d2', '3/4', '24/7', 'a@b.example', '1.2.3', 'v2.0.1', 'at&t', 'tcp/ip', 'c++11', 'covid-19', '1,000', '16:9', 'p!nk', '2026-01-31',
  ])('recognizes %s, whose terms mean the same', (text) => {
    expect(parseLiteral(text)).toEqual({ text, strict: false });
  }); // prettier-ignore

  it.each([
    ['(c++),', 'c++'], ['c++!', 'c++'], ["c++'s", 'c++'], ["c's#'s", 'c#'], ['c#?', 'c#'], ['node.js.', 'node.js'], ['«.net»', '.net'], ['a@b.example;', 'a@b.example'],
  ])('removes the punctuation of the sentence from %s', (chunk, text) => {
    expect(parseLiteral(chunk)?.text).toBe(text);
  }); // prettier-ignore

  it.each([
    'word', '1984', 'pixel-art', "dog's", "rock'n'roll", 'snake_case', 'word.', '...and', '#tag', '@user', '-word', '.5', '50%', 'nice+', '100+', 'c+++', '++', '.', '', "'", 'naïve', 'हिन्दी', '👍',
  ])('takes %j as plain text', (chunk) => {
    expect(parseLiteral(chunk)).toBeUndefined();
  }); // prettier-ignore

  it('takes words of more than 64 characters as plain text', () => {
    expect(parseLiteral(`${'a'.repeat(61)}.bc`)).toBeDefined();
    expect(parseLiteral(`${'a'.repeat(62)}.bc`)).toBeUndefined();
  });
});

describe('extractLiterals', () => {
  it.each([
    ['c++, c# and (node.js)', ['c++', 'c#', 'node.js']],
    ['c++ c++', ['c++']],
    ['c,c++,java', ['c++']],
    ['c++入門とc#', ['c++', 'c#']],
    ['c++를 배우자', ['c++']],
    ['🎉c++🎉', ['c++']],
    ['c/c++', ['c/c++', 'c++']],
    ['.net-entwickler', ['.net-entwickler', '.net']],
    ['https://node.js.example/a', ['https://node.js.example/a', 'node.js.example']],
    ['“3/4”…', ['3/4']],
    ['plain words only', []],
    ['Plain words. With a comma, too!', []],
    ['only node.js', ['node.js']],
    ['c++17, c#8 and .net8', ['c++17', 'c++', 'c#8', 'c#', '.net8', '.net']],
    ['978-3-16-148410-0', ['978-3-16-148410-0', '9783161484100']],
    ['2026-11-27 and 080442957-x', ['2026-11-27', '20261127', '080442957-x', '080442957x']],
    ['1.5, 1000.00 and 555-12', ['1.5', '1000.00', '555-12']],
    ['10:30:00', ['10:30:00']],
    ['00-1B-44-11-3A-B7', ['00-1b-44-11-3a-b7', '001b44113ab7']],
  ])('finds in %j: %j', (text, literals) => {
    expect(extractLiterals(foldText(text))).toEqual(literals);
  });

  it('finds at most 500 literals', () => {
    expect(extractLiterals(Array.from({ length: 1_000 }, (_, n) => `${n}/${n}`).join(' '))).toHaveLength(500);
  });

  it('finds the same literals in any text, also after a text that has none', () => {
    const words = fc.array(fc.constantFrom('c', '+', '.', '/', '-', "'", '_', '1', 'é', ' ', '\n', ',', ':', '!', '東', '\u0301'));
    fc.assert(
      fc.property(words, (parts) => {
        const text = foldText(parts.join(''));
        expect(extractLiterals(`${text} c#`)).toEqual([...extractLiterals(text), 'c#']);
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it('finds each of its literals in that literal, so that every literal finds itself', () => {
    const words = fc.array(
      fc.constantFrom('c', '+', '#', '.', '/', '-', "'", '1', 'é', 'ß', ' ', ',', '東', '@', '(', '👍', '\u0301', 's'),
    );
    fc.assert(
      fc.property(words, (parts) => {
        const literals = extractLiterals(foldText(parts.join(''))).filter((text) => !isCode(text));
        for (const literal of literals) expect(extractLiterals(foldText(literal))).toContain(literal);
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it('splits chunks at blanks, brackets, quotation marks, and letters of scripts without blanks', () => {
    expect(splitChunks('c++入門 "node.js", (a/b)[1]')).toEqual(['c++', 'node.js', 'a/b', '1']);
  });
});

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

describe('separateChunks', () => {
  it.each([
    ['tips, (c++) tricks', 'tips c++ tricks'],
    ['c# 東京 c#', 'c# 東京 c#'],
    ['東京、c#。', '東京 c#'],
    ['1,5 km · node.js', '1,5 km node.js'],
    [' ', ''],
  ])('makes of %j %j: letters stay, also those of scripts without blanks', (text, separated) => {
    expect(separateChunks(text)).toBe(separated);
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

function isFound(prompt: string, name: string): boolean {
  const keys = new Set(itemKeysOf({ name, tags: [], description: '', creatorName: '', fileName: null }, NEWEST_RULES).forms);
  return [promptFormKeys, promptLetterKeys].flatMap((keysOf) => keysOf(NEWEST_RULES.fold(prompt))).some((key) => keys.has(key));
}

describe('each form of a word finds a title with the other form, in', () => {
  it.each(EXAMPLE_LANGUAGES)('%s', (language) => {
    const missed = pairsOf(language).filter(([one, other]) => !isFound(one.word, other.title) || !isFound(other.word, one.title));
    expect(missed).toEqual([]);
  });
});

it('a word does not find another word that looks like a form of it', () => {
  expect(differentWords().filter(([one, other]) => isFound(one.word, other.title) || isFound(other.word, one.title))).toEqual([]);
});

it('two letters find what is written with an umlaut, in every language', () => {
  expect(isFound('feuerloescher', 'Feuerlöscher')).toBe(true);
  expect(isFound('djordje', 'Đorđe')).toBe(true);
  expect(isFound('uebergroessentraegerhoehe', 'Übergrößenträgerhöhe')).toBe(true);
  expect(isFound('muenchen', 'Nights in München')).toBe(true);
  expect(isFound('goeteborg', 'Göteborg by night')).toBe(true);
  expect(isFound('soeren', 'Letters to Søren')).toBe(true);
  expect(isFound('poet', 'The pot')).toBe(false);
});

it('long vowels of Japanese find what is written with a macron', () => {
  expect(isFound('juudou', 'Jūdō basics')).toBe(true);
  expect(isFound('shoujo', 'Shōjo poster')).toBe(true);
  expect(isFound('toukyou', 'Tōkyō tower')).toBe(true);
  expect(isFound('house', 'Hose and tap')).toBe(false);
  expect(isFound('book', 'Bök')).toBe(false);
});

it('ə is found as e, which is typed for it, and e as ə', () => {
  expect(isFound('gelin', 'Gəlin və bəy')).toBe(true);
  expect(isFound('seherde', 'Səhərdə çay')).toBe(true);
  expect(isFound('gelin', 'Galin')).toBe(false);
  expect(typedOtherwise('Gəlin Zoë')).toEqual([{ word: 'gəlin', typed: 'gelin' }]);
  expect(typedOtherwise('Münö Jūdō')).toMatchObject([{ typed: 'muenoe' }, { typed: 'juudou' }]);
});

it.each(LETTERS)('a word with $letter is found by what is typed for it, and by all that its row has: $typed', ({ letter, typed }) => {
  const word = (text: string) => `k${text}l`;
  for (const written of [word(letter), word(letter).toUpperCase(), word(letter.normalize('NFD'))])
    expect(typed.map((one) => isFound(word(one), `A ${written} here`))).toEqual(typed.map(() => true));
  expect(typedOtherwise(word(letter))).toEqual([{ word: word(letter), typed: word(typed[0]) }]);
  expect(typed.map((one) => isFound(word(one), 'A plain kal, kol or kul'))).toEqual(typed.map(() => false));
});

it('items have the keys that the indices of 1.0.0 have', () => {
  const keys = itemKeysOf({ name: 'Übergroße Jūdō Gəlin', tags: ['Ångström Tōkyō'], description: 'Đorđe Səhərdə Bänēr', creatorName: 'Søren', fileName: null }, NEWEST_RULES).forms; // prettier-ignore
  expect(keys.filter((key) => /^(?:umlaut|macron|schwa|accent):/.test(key))).toEqual([
    'umlaut:soren', 'accent:søren', 'umlaut:ubergrosse', 'accent:übergroße', 'macron:judo', 'accent:jūdō', 'schwa:gelin', 'accent:gəlin',
    'umlaut:angstrom', 'accent:ångström', 'macron:tokyo', 'accent:tōkyō', 'umlaut:dorde', 'accent:đorđe', 'schwa:seherde', 'accent:səhərdə',
    'umlaut:baner', 'macron:baner', 'accent:bänēr',
  ]); // prettier-ignore
});

it('a prompt has keys for each choice of its first three pairs of letters, and for all', () => {
  const word = 'uebergroessentraegerhoehe';
  expect(promptLetterKeys(word)).toHaveLength(8 + 1);
  expect(promptLetterKeys(word)).toEqual(expect.arrayContaining(['umlaut:ubergrossentragerhohe', 'umlaut:uebergrossentraegerhoehe', `schwa:${word}`])); // prettier-ignore
  expect(promptLetterKeys('toukyou')).toEqual(['macron:tokyo']);
});

it('a word with an accent has a key of its own, so that what is typed with the accent ranks first', () => {
  const keys = itemKeysOf({ name: 'La tâche', tags: ['Bønder'], description: '', creatorName: 'Zoë', fileName: null }, NEWEST_RULES).forms;
  expect(keys).toEqual(expect.arrayContaining(['accent:tâche', 'accent:bønder', 'accent:zoë']));
  expect(parsePrompt('Tâche la', NEWEST_RULES).accents).toEqual(['accent:tâche']);
});

it('the forms of the words of a text without blanks take no more time than those of others', () => {
  const description = 'サーバー'.repeat(25_000);
  expect(itemKeysOf({ name: '', tags: [], description, creatorName: '', fileName: null }, NEWEST_RULES).forms).toEqual([]);
});

it('Hebrew is found with and without one of its vowel letters', () => {
  for (const [one, other] of [
    ['גלויה', 'גלוייה'],
    ['צוהר', 'צהר'],
    ['אומנות', 'אמנות'],
    ['מוסיקה', 'מסיקה'],
  ] as const)
    expect([isFound(one, other), isFound(other, one)]).toEqual([true, true]);
  expect(isFound('ספר', 'סיפור')).toBe(false);
});

it('Serbian is found in both of its scripts', () => {
  expect(isFound('zagrebačka', 'Загребачка банка у граду')).toBe(true);
  expect(isFound('Загребачка', 'Zagrebačka banka u gradu')).toBe(true);
});

it('no key of an item is longer than a word of a language: Elasticsearch would reject the item', () => {
  const long = ['ﷲ', 'щ', 'ä', 'x', 'ö\u0301'].map((letter) => letter.repeat(65));
  for (const description of [long.join(' '), long.join('')])
    expect(itemKeysOf({ name: '1', tags: long, description, creatorName: long.join(' '), fileName: null }, NEWEST_RULES).forms).toEqual([]);
  const word = 'щ'.repeat(64);
  expect(itemKeysOf({ name: word, tags: [], description: 'что это такое', creatorName: '', fileName: null }, NEWEST_RULES).forms).toContain(
    `ru=${word}`,
  );
});

describe('a misspelt word is compared with', () => {
  const keysOf = (texts: Partial<Parameters<typeof itemKeysOf>[0]>): string[] =>
    itemKeysOf({ name: '', tags: [], description: '', creatorName: '', ...texts, fileName: null }, NEWEST_RULES).forms.filter((key) =>
      key.startsWith('spelling:'),
    );

  it('the letters of each Korean word of two syllables and more', () => {
    const keys = keysOf({ name: '두부 국', tags: ['한글'], description: 'tofu 국어' });
    expect(keys).toEqual(['spelling:ㄷㅜㅂㅜ', 'spelling:ㅎㅏㄴㄱㅡㄹ', 'spelling:ㄱㅜㄱㅇㅓ']);
    expect(keys.map(spelledBy)).toEqual(['두부', '한글', '국어']);
    expect(['두부', '국', 'tofu', '두부x'].map(spellingKeys)).toEqual([['spelling:ㄷㅜㅂㅜ'], [], [], []]);
  });

  it('the names and tags of scripts without blanks, as they are written', () => {
    const keys = keysOf({ name: 'ดอกทานตะวัน ๒ (แมว)', tags: ['ກະຕ່າຍ'], description: 'กระต่าย' });
    expect(keys).toEqual(['spelling:ดอกทานตะวัน', 'spelling:แมว', 'spelling:ກະຕ່າຍ']);
    expect(keys.map(spelledBy)).toEqual(['ดอก ทานตะวัน', 'แมว', 'ກະຕ່າຍ']);
    expect(keysOf({ name: 'ก'.repeat(49), tags: ['ก'.repeat(48), '두'.repeat(49)] })).toHaveLength(1);
    expect(keysOf({ name: 'House of tofu', tags: ['дом', '家'] })).toEqual([]);
  });
});

describe('a word is found in names and tags as a part of', () => {
  const isPartOf = (prompt: string, name: string, others: Partial<Parameters<typeof itemKeysOf>[0]> = {}): boolean => {
    const texts = { name, tags: [], description: '', creatorName: '', fileName: null, ...others };
    const keys = new Set(itemKeysOf(texts, NEWEST_RULES).forms);
    return promptKeysOf(NEWEST_RULES.fold(prompt)).some((key) => keys.has(key));
  };

  it.each([
    ['a word with capitals inside', 'lantern', 'OldLanternFactory'],
    ['a word with capitals inside, in its other forms', 'lanterns', 'OldLanternFactory'],
    ['an abbreviation before a word', 'http', 'XMLHttpMocker'],
    ['a word before an abbreviation', 'open', 'OpenSCADtools'],
    ['a word before a digit', 'harbour', 'GreatHarbour2'],
    ['a Cyrillic word with capitals inside', 'карта', 'МояКартаМира'],
    ['Hangul after Latin letters', '전자', 'LG전자 리모컨'],
    ['Hangul before Latin letters', '카드', '카드ABC'],
    ['Hangul after digits', '색연필', '12색연필'],
    ['an abbreviation before Hangul', 'usb', 'USB허브'],
  ])('%s, for example %s in %s', (_, prompt, name) => expect(isPartOf(prompt, name)).toBe(true));

  it.each([
    ['German', 'kanne', 'Gießkanne für den Garten'],
    ['German, with letters in between', 'kalender', 'Adventskalender aus Holz mit Sternen'],
    ['German, in another form', 'kerze', 'Zwei Bienenwachskerzen im Glas'],
    ['German, with an end of three letters', 'uhr', 'Wanduhr aus altem Holz mit Zahlen'],
    ['German, after three letters', 'kanne', 'Teekanne mit Deckel und Tasse'],
    ['Dutch', 'lamp', 'Tafellamp van hout voor de kamer'],
    ['Swedish', 'tröja', 'Stickad barntröja med mönster av ull'],
    ['Swedish, with an end of three letters', 'paj', 'Äpplepaj med kanel och socker till barnen'],
    ['Danish', 'hus', 'Tegning af et lille dukkehus til børn'],
    ['Norwegian', 'genser', 'Oppskrift på ullgenser til barn og voksne'],
    ['Finnish', 'kakku', 'Suklaakakku ja mansikoita lapsille'],
    ['Hungarian', 'doboz', 'Ajándékdoboz papírból, virágokkal és szalaggal'],
  ])('a compound: %s, for example %s in %s', (_, prompt, name) => expect(isPartOf(prompt, name)).toBe(true));

  it.each([
    ['rose', 'Neurose und Angst in unserer Zeit'],
    ['rose', 'Matrose auf dem alten Schiff'],
    ['lampe', 'Die schlampe im Garten'],
  ])('no other word: %s is not in %s', (prompt, name) => expect(isPartOf(prompt, name)).toBe(false));

  it('the name of the file, which is found as a whole too', () => {
    const file = { fileName: 'OakGear_v7.stl' };
    const words = ['oak', 'gears', 'v7', 'stl', 'oakgear'];
    expect(words.filter((word) => !isPartOf(word, 'Wheel', file))).toEqual([]);
    expect(itemKeysOf({ name: 'Wheel', tags: [], description: '', creatorName: '', ...file }, NEWEST_RULES)).toMatchObject({
      forms: expect.arrayContaining(['part:oakgear_v7.stl']),
      nameParts: [],
    });
  });

  it('a description only as a whole, so that a text about a site does not become one about its parts', () => {
    expect(isPartOf('lantern', 'Shop', { description: 'OldLanternFactory' })).toBe(false);
  });

  it('a tag, which is not a part of the name', () => {
    expect(isPartOf('lantern', 'Shop', { tags: ['OldLanternFactory'] })).toBe(true);
  });

  it('at most so many that no item has far more keys than others, and none that takes the form of a word the place', () => {
    const description = Array.from(
      { length: 3_000 },
      (_, n) => `слово${'абвгдежзик'.charAt(n % 10)}${String.fromCharCode(1072 + (n % 31))}`,
    ).join(' ');
    const name = Array.from({ length: 600 }, (_, n) => `Abc${'xyz'.charAt(n % 3)}${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + Math.floor(n / 26))}Def`).join(' '); // prettier-ignore
    const texts = { name, tags: [name], description, creatorName: '', fileName: name };
    const { forms, nameParts } = itemKeysOf(texts, NEWEST_RULES);
    const without = itemKeysOf(texts, { ...NEWEST_RULES, hasParts: false });
    expect(nameParts).toHaveLength(500);
    expect(forms.slice(0, without.forms.length)).toEqual(without.forms);
    expect(forms.length).toBeLessThanOrEqual(2_500);
    expect(without.nameParts).toEqual([]);
  });
});

it('English words have no form keys, since the index stems them', () => {
  expect(
    itemKeysOf({ name: 'The apples of the old garden', tags: [], description: '', creatorName: '', fileName: null }, NEWEST_RULES).forms,
  ).toEqual([]);
});

it('an item has at most 2,000 keys of forms', () => {
  const letters = (n: number): string => Array.from(n.toString(26), (digit) => String.fromCharCode(97 + parseInt(digit, 26))).join('');
  const words = (count: number): string => Array.from({ length: count }, (_, n) => `${letters(n + 700)}ungen`).join(' ');
  const rules = { ...NEWEST_RULES, hasParts: false };
  const item = { name: 'Die Wanderungen im Gebirge', tags: [], creatorName: '', fileName: null };
  const keys = (count: number) => itemKeysOf({ ...item, description: words(count) }, rules).forms;
  expect(keys(10).length).toBeLessThan(2_000);
  expect(keys(3_000)).toHaveLength(2_000);
});
