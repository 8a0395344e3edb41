import { describe, expect, it } from '@jest/globals';
import { foldedWords } from '@ugc/text/prompt/parse-prompt';
import { partsOf } from '@ugc/text/forms/word-parts';
import { markSeparations, separateWords } from '@ugc/text/words/separate';
import { stemOf, termsOf } from '@ugc/text/words/terms';
import { hasToken } from '@ugc/text/words/tokens';
import { composeHangul, continuedHangul, isHangul, spellHangul, withoutLastLetter } from '@ugc/text/words/hangul';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import {
  besideLetters,
  CHARACTER_RANGES,
  characterKind,
  charactersOf,
  nameOfRange,
  readLuceneTerms,
} from '../support/search/lucene-terms.ts';

const lucene = readLuceneTerms();

const textsOf = (folded: string): string[] => termsOf(folded, NEWEST_RULES).map(({ text }) => text);

describe('the terms of a folded text are those of Elasticsearch', () => {
  it('for texts of all scripts', () => {
    expect(lucene.terms.length).toBeGreaterThan(500);
    const different = lucene.terms.map(([folded, terms]) => ({ folded, terms: textsOf(folded), lucene: terms }));
    expect(different.filter(({ terms, lucene }) => terms.join('|') !== lucene.join('|'))).toEqual([]);
  });

  const LONG_RUN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]{5}/u;
  const AND_BESIDE_RUN = /'n'/;

  it('and the words of a prompt have the same ones, in the same order, but for those of literals and of pairs', () => {
    const different = lucene.terms.filter(([folded, terms]) => {
      const words = foldedWords(folded, NEWEST_RULES);
      const isCut = words.some(({ kind, within }) => kind === 'literal' || within !== undefined);
      if (isCut || LONG_RUN.test(folded) || AND_BESIDE_RUN.test(folded)) return false;
      return words.flatMap(({ text }) => textsOf(text)).join('|') !== terms.join('|');
    });
    expect(different.map(([folded, terms]) => ({ folded, terms, words: foldedWords(folded, NEWEST_RULES) }))).toEqual([]);
  });

  it.each(CHARACTER_RANGES.map((range) => [nameOfRange(range), range] as const))(
    'for the characters %s between two letters',
    (name, range) => {
      const characters = charactersOf(range);
      const recorded = kindsIn(lucene.characters[name] ?? '');
      const kinds = characters.map((character) => characterKind(textsOf(besideLetters(character))));
      const different = characters.filter((character, at) => !DIFFERENT.test(character) && kinds[at] !== recorded[at]);
      expect({ different, count: recorded.length }).toEqual({ different: [], count: characters.length });
    },
  );

  /** Accepted differences: characters without a meaning, format characters, and letters that are newer than Lucene's Unicode 12. */
  const DIFFERENT = /\p{Cn}|\p{Cf}|[\u0c5c\u0c5d\u0cdc\u0cdd\u0d04]/u;

  function kindsIn(runs: string): string[] {
    return runs.split(' ').flatMap((run) => Array.from({ length: Number(run.slice(0, -1)) }, () => run.slice(-1)));
  }

  it('and the stems of words', () => {
    const words = Object.entries(lucene.stems);
    expect(words.length).toBeGreaterThan(1_000);
    expect(words.filter(([word, stem]) => (stemOf(word) ?? '') !== stem)).toEqual([]);
  });
});

describe('a term', () => {
  it.each([
    ['rock’n’roll at 12:30', ['rock', 'n', 'roll', 'at', '12', '30']],
    ["the dog's bowl", ['the', 'dog', 'bowl']],
    ["o'neill's 1'500", ["o'neill", "1'500"]],
    ['snake_case', ['snake', 'case']],
    ['צה"ל', ['צהל']],
    ['カメラ', ['カ', 'メ', 'ラ']],
    ['ア\u3099イ', ['ア\u3099', 'イ']],
    ['東京tower', ['東', '京', 'tower']],
    ['abcไทย', ['abc', 'ไทย']],
    ['aᥐᥐb', ['a', 'ᥐᥐ', 'b']],
    ['aᦀᦀb', ['a', 'ᦀᦀ', 'b']],
    ['aᨠᨠb', ['a', 'ᨠᨠ', 'b']],
    ['aꪀꪀb', ['a', 'ꪀꪀ', 'b']],
    ['東\u0301京', ['東\u0301', '京']],
    ["की'क", ["की'क"]],
    ['١٬٥٠٠ 1،5 1؍5', ['1٬500', '1،5', '1؍5']],
    ['a"ל ל"a', ['a', 'ל', 'ל', 'a']],
    ['👩‍💻👍', ['👩‍💻', '👍']],
    ['🇩🇪🇫🇷', ['🇩🇪', '🇫🇷']],
  ])('of %s has its position in the text', (text, terms) => {
    const folded = NEWEST_RULES.fold(text);
    const found = termsOf(folded, NEWEST_RULES);
    expect(found.map((term) => term.text)).toEqual(terms);
    for (const { text: term, start, end } of found) expect(folded.slice(start, end).replaceAll('"', '').replace(/'s$/, '')).toBe(term);
  });

  it('has at most 255 UTF-16 units, and no half of a pair', () => {
    expect(termsOf('x'.repeat(600), NEWEST_RULES).map(({ text }) => text.length)).toEqual([255, 255, 90]);
    expect(termsOf('x'.repeat(510), NEWEST_RULES).map(({ text }) => text.length)).toEqual([255, 255]);
    for (const letter of ['𐐨', '𐀀'])
      expect(termsOf(`${'x'.repeat(254)}${letter}${'x'.repeat(10)}`, NEWEST_RULES).map(({ text }) => text.length)).toEqual([254, 12]);
    expect(termsOf(`x${'𐐨'.repeat(200)}`, NEWEST_RULES).map(({ text }) => text.length)).toEqual([255, 146]);
    expect(termsOf('𐐨'.repeat(200), NEWEST_RULES).map(({ text }) => text.length)).toEqual([254, 146]);
  });
});

describe('Hangul', () => {
  it.each([
    ['두부', 'ㄷㅜㅂㅜ'],
    ['국어', 'ㄱㅜㄱㅇㅓ'],
    ['닭을', 'ㄷㅏㄹㄱㅇㅡㄹ'],
    ['달걀', 'ㄷㅏㄹㄱㅑㄹ'],
    ['가까갂아', 'ㄱㅏㄲㅏㄱㅏㄲㅇㅏ'],
    ['넋이 a', 'ㄴㅓㄱㅅㅇㅣ a'],
  ])('is spelled in letters that are the same at the beginning and at the end of a syllable: %s', (text, letters) => {
    expect([spellHangul(text), composeHangul(letters)]).toEqual([letters, text]);
  });

  it.each([['두부', true], ['두부a', false], ['a두부', false], ['ㄷ', false], ['', false]])('is a word of complete syllables alone: %s', (word, is) => {
    expect(isHangul(word)).toBe(is);
  }); // prettier-ignore

  it('of every syllable, before every initial, is composed of its letters again', () => {
    const syllables = Array.from({ length: 11_172 }, (_, n) => String.fromCharCode(0xac00 + n));
    const words = ['가', '앟', '힣'].flatMap((next) => syllables.map((syllable) => syllable + next));
    expect(words.filter((word) => composeHangul(spellHangul(word)) !== word)).toEqual([]);
  });

  it.each([
    ['ㄷ', ['다-딯']],
    ['두', ['두-뒿']],
    ['둡', ['둡-둢', '두바-두빟']],
    ['닭', ['닭-닭', '달가-달깋']],
    ['과', ['과-괗']],
    ['고', ['고-굏']],
    ['물 두ㅃ', ['물 두빠-물 두삫']],
    ['각', ['각-갃', '가가-가깋']],
    ['dub', []],
    ['두부 dub', []],
  ])('may go on while a syllable is typed: %s', (text, ranges) => {
    const continued = continuedHangul(NEWEST_RULES.fold(text));
    expect(continued.map(({ beginning, first, last }) => `${beginning}${first}-${beginning}${last}`)).toEqual(ranges);
  });

  it.each([['둡', '두'], ['닭', '달'], ['두ㅃ', '두'], ['두', undefined], ['물두', undefined], ['ㄷ', undefined], ['dub', undefined]])('has a last letter that may begin the next syllable: %s', (text, rest) => {
    expect(withoutLastLetter(NEWEST_RULES.fold(text))).toBe(rest);
  }); // prettier-ignore
});

it.each([
  ['node.js 3.14 1,000 12:30 a;b a·b snake_case', 'node js 3 14 1 000 12 30 a b a b snake case'],
  ['end. (a.) .net a.', 'end. (a.) .net a.'],
  ["rock'n'roll o'neill", "rock n roll o'neill"],
  ['צה"ל "שלום" a', 'צהל "שלום" a'],
  ['カメラ ー 東京', 'カ メ ラ ー 東京'],
  ['ア\u3099イ हि.a', 'ア\u3099 イ हि a'],
])('where the standard tokenizer would not separate terms, or would separate a term, the text is changed: %s', (folded, separated) => {
  expect(NEWEST_RULES.separate(folded)).toBe(separated);
});

it.each([
  ['BetterFolium', 'Better Folium'],
  ['the XMLHttpMock', 'XML Http Mock'],
  ['plain Lamp200 shade', 'Lamp 200'],
  ['Lamp20', 'Lamp'],
  ['lamp2000', 'lamp 2000'],
  ['BetterIn iPhone', 'Better Phone'],
  ['USBhub', 'US Bhub'],
  ['QR코드', 'QR 코드'],
  ['코드abc', '코드 abc'],
  ['abc코드', 'abc 코드'],
  ['12색연필', '색연필'],
  ['МояКарта', 'Моя Карта'],
  ['ΤοΒιβλίοΜου', 'Βιβλίο Μου'],
  ['ԲարիԳիրքը', 'Բարի Գիրքը'],
  ['lampКарта', 'lamp Карта'],
  ['cafe\u0301Sign', 'cafe\u0301 Sign'],
  ['a\u0301b\u0301c\u0301Sign', 'a\u0301b\u0301c\u0301 Sign'],
  ['XME\u0301Http', 'XME\u0301 Http'],
  ['XMLE\u0301tude', 'XML E\u0301tude'],
  ['cafe\u0301200', 'cafe\u0301 200'],
  ['cafe\u0301코드', 'cafe\u0301 코드'],
  ['plain words of 2026', ''],
  ['ab12 이a', '이'],
  ['PDFكتاب', 'PDF كتاب'],
  ['pdfكتاب', 'pdf كتاب'],
  ['الـpdf', 'الـ pdf'],
  ['הPDF הpdf', 'PDF pdf'],
  ['PDFफाइल फाइलpdf', 'PDF फाइल फाइल pdf'],
  ['PDFფაილი', 'PDF ფაილი'],
  ['pdfবই কাগজপত্রpdf', 'pdf কাগজপত্র pdf'],
  ['كتاب2024 كتاب٢٠٢٤ कक्षा10', 'كتاب 2024 كتاب ٢٠٢٤ कक्षा'],
  ['كتـاب كتاب फाइल ფაილი', ''],
  ['pdf書類 書類pdf pdfファイル ファイルpdf pdfねこ ไฟล์pdf pdfไฟล์ サーバーa', ''],
])('the parts of %s are those at borders of case and script that are long enough, in their places: %s', (text, expected) => {
  const parts = partsOf(text);
  expect(parts.map((part) => part.text).join(' ')).toBe(expected);
  expect(parts.map(({ start, end }) => text.slice(start, end)).join(' ')).toBe(expected);
});

it.each([
  ['a ภาษาไทยb', 'a ภาษา ไทยb', 'a ภ_า_ษ_า_ไ_ท_ยb'],
  ['ພາສາລາວ', 'ພາສາ ລາວ', 'ພ_າ_ສ_າ_ລ_າ_ວ'],
  ['សួស្តីពិភពលោក', 'សួស្តី ពិភពលោក', 'ស_ួ_ស_្_ត_ី_ព_ិ_ភ_ព_ល_ោ_ក'],
  ['မင်္ဂလာပါကမ္ဘာ', 'မင်္ဂလာ ပါ ကမ္ဘာ', 'မ_င_်_္_ဂ_လ_ာ_ပ_ါ_က_မ_္_ဘ_ာ'],
  ['東京 夜景', '東京 夜景', '東京 夜景'],
])('the words of a text without blanks are separated, and where they may be is marked: %s', (text, separated, marked) => {
  expect([separateWords(text), separateWords(text)]).toEqual([separated, separated]);
  expect(separateWords(separated)).toBe(separated);
  expect(markSeparations(separated, '_')).toBe(marked);
});

it('the words of a text that are separated stay as they are, also of a text that is in no dictionary', () => {
  const unknown = ['ัายตถอดฯฺยฤฌ', 'ก'.repeat(30), 'ກ'.repeat(30), 'ក'.repeat(30), 'က'.repeat(30)];
  for (const separated of unknown.map(separateWords)) expect(separateWords(separated)).toBe(separated);
});

it('a symbol that the tokenizer of the index counts as a pictograph is a term, also where Unicode does not count it today', () => {
  const symbols = [...'⎈★☇☖⚐✐❥', '\u{1f000}', '\u{1f260}', '\u{1f4fe}', '\u{1f546}', '\u{1f6c6}', '\u{1fa00}'];
  expect(symbols.filter((symbol) => !hasToken(symbol))).toEqual([]);
});
