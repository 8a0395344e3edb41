import { describe, expect, it } from '@jest/globals';
import { Remembered } from '@ugc/text/words/remembered';
import { foldText, replaceRareLetters } from '@ugc/text/words/fold-text';
import fc from 'fast-check';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runs } from '../support/jest/long.ts';
import { anyText } from '../support/search/any-text.ts';

describe('foldText', () => {
  describe.each<[string, [string, string][]]>([
    ['Latin', [
      ['Crème BRÛLÉE', 'creme brulee'], ['cafe\u0301', 'cafe'], ['Straße STRASSE ẞ', 'strasse strasse ss'], ['Ångström Øre Æther', 'angstrom ore aether'],
      ['Łódź żółw', 'lodz zolw'], ['Đà Nẵng', 'da nang'], ['Þór Œuvre', 'thor oeuvre'], ['Phở ươ', 'pho uo'],
    ]],
    ['German', [['Übermäßig schön', 'ubermassig schon'], ['Ueber', 'ueber']]],
    ['Turkish', [['İSTANBUL Istanbul ıstanbul', 'istanbul istanbul istanbul'], ['Iğdır ŞİŞLİ', 'igdir sisli']]],
    ['Greek', [['Ελλάδα', 'ελλαδα'], ['ΟΔΥΣΣΕΑΣ Οδυσσέας', 'οδυσσεασ οδυσσεασ'], ['ᾠδή ϊΐ', 'ωδη ιι']]],
    ['Maltese, Sami and Old Norse', [['Ħal Ŧor Bað', 'hal tor bad']]],
    ['Macedonian', [['Ѐва ѝ', 'ева и']]],
    ['Urdu', [['کیا ہے', 'كيا هي'], ['ۀ ہ', 'ه ه']]],
    ['Hawaiian, and quotation marks', [['ʻokina ‘a’ ‛b', "'okina 'a' 'b"]]],
    ['Cyrillic', [['Ёлка ЁЖ', 'елка еж'], ['Йод и\u0306од', 'йод йод'], ['Київ Ґанок', 'київ ґанок'], ['за\u0301мок', 'замок'], ['мой мои', 'мой мои']]],
    ['Arabic', [
      ['مُحَمَّد', 'محمد'], ['مـــحمد', 'محمد'], ['أإآٱا', 'ااااا'], ['مدرسة', 'مدرسه'], ['على', 'علي'], ['مسؤول بئر', 'مسؤول بئر'],
      ['٢٠٢٤', '2024'], ['ﷲ ﻻ', 'الله لا'],
    ]],
    ['Persian', [['کتاب فارسی ۱۴۰۳', 'كتاب فارسي 1403'], ['می\u200cخواهم', 'ميخواهم']]],
    ['digits of Myanmar', [['\u{116d0}\u{116d9}\u{116da}', '099']]],
    ['Hebrew', [['1\u05b4\u05b5', '1\u05b4\u05b5'], ['שָׁלוֹם', 'שלום'], ['צה״ל', 'צה"ל'], ['ג׳ירפה', "ג'ירפה"]]],
    ['Hindi', [['हिन्दी', 'हिन्दी'], ['फ़िल्म', 'फिल्म'], ['हँसी', 'हंसी'], ['१२३', '123'], ['क्\u200dष', 'क्ष']]],
    ['Tamil and Bengali', [['தமிழ்', 'தமிழ்'], ['বাংলা ভাষা', 'বাংলা ভাষা']]],
    ['Thai and Lao', [['ภาษาไทย', 'ภาษา ไทย'], ['น้ำใจ', 'น้ำใจ'], ['ราคา๑๒บาท', 'ราคา12บาท'], ['น\u0e4d\u0e49\u0e32', 'น้ำ'],
      ['ນ້ຳ', 'ນ້ຳ'], ['ນ\u0ecd\u0ec9\u0eb2', 'ນ້ຳ'], ['ນ\u0ecd\u0eb2', 'ນຳ'], ['ພາສາລາວ', 'ພາສາ ລາວ']]],
    ['Khmer and Burmese', [['សួស្តីពិភពលោក', 'សួស្តី ពិភពលោក'], ['សួស្តី\u200bពិភពលោក', 'សួស្តី ពិភពលោក'], ['မင်္ဂလာပါကမ္ဘာ', 'မင်္ဂလာ ပါ ကမ္ဘာ']]],
    ['Chinese and Japanese', [['東京の夜', '東京の夜'], ['ガギ が', 'ガギ が'], ['ｶﾞｷﾞ', 'ガギ'], ['ＡＢＣ１２３', 'abc123'], ['葛\u{e0100}', '葛']]],
    ['Korean', [['한국어', '한국어'], ['\u1112\u1161\u11ab', '한']]],
    ['emoji', [
      ['👨‍👩‍👧‍👦 🏳️‍🌈', '👨‍👩‍👧‍👦 🏳‍🌈'], ['❤️ ❤', '❤ ❤'], ['👍🏽 👩🏽‍💻', '👍 👩‍💻'], ['🇩🇪 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', '🇩🇪 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
      ['1️⃣', '1'], ['👍\u200d', '👍'], ['a\u200d👍', 'a👍'], ['a\u{e0067}b', 'ab'],
    ]],
    ['symbols', [
      ['ﬁne ⅷ ①', 'fine viii 1'], ['½ 2½ 2⅔', '1/2 2 1/2 2 2/3'], ['Lego™ Brand℠', 'lego  brand '], ['don’t don´t donʼt', "don't don't don't"], ['x²', 'x2'],
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

it('what is remembered of a word does not keep the text in memory from which the word was cut out', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const used = (): number => (collectGarbage(), getHeapStatistics().used_heap_size);
  const remembered = new Remembered<true>(2 ** 20, () => 0);
  const before = used();
  for (let n = 0; n < 50; n += 1) remembered.add(`${n}`.padStart(1_000_000, 'letters').slice(-20), true);
  expect(used() - before).toBeLessThan(10_000_000);
  expect(remembered.get('7'.padStart(1_000_000, 'letters').slice(-20))).toBe(true);
});

it('the letters that the analyzers replace besides are replaced each time', () => {
  expect(replaceRareLetters('ɓala ŋgoni ɓꜵꜳ ä')).toBe('bala ngoni baoaa ä');
});
