import { describe, expect, it } from '@jest/globals';
import { chineseForms, kanaForms } from '@ugc/text/ways/japanese-and-chinese';

/** In their order, each once. */
function listed(forms: string[]): string {
  return [...new Set(forms)].join(' | ');
}

describe('kana is also written', () => {
  it.each([
    ['カメラ', 'カメラ | カメラー | か め ら', 'with a final ー, and in hiragana'],
    ['ねこ', 'ネコ | ネコー | ね こ', 'in katakana'],
    ['カーテ', 'カーテ | カーテー | か ー て', 'but a short word with no other ー'],
    ['カーー', 'カーー | カ | カー | か ー ー', 'without all ー at its end'],
    ['カサタナ', 'カサタナ | カサタナー | か さ た な | カーサタナ | カサータナ | カサターナ', 'from four letters on with any long vowel'],
    ['カサタなに', 'カサタナニ | カサタナニー | か さ た な に', 'not if hiragana follows'],
    ['カサタナに', 'カサタナニ | カサタナニー | か さ た な に', 'not if a longer one has some'],
    ['カンサッタ', 'カンサッタ | カンサッター | か ん さ っ た | カンサツタ | カーンサッタ | カンサーッタ', 'before ン and ッ'],
    ['なにカサタナ', 'ナニカサタナ | ナニカサタナー | な に か さ た な', 'not if hiragana comes before'],
    ['ーカサタ', 'ーカサタ | ーカサター | ー か さ た | カサタ | ーカーサタ | ーカサータ', 'with a ー at its beginning as it is'],
    ['カーサタ', 'カーサタ | カーサター | か ー さ た | カサタ | カーサータ', 'with a short vowel for a long one'],
    ['カータサーナ', 'カータサーナ | カータサーナー | か ー た さ ー な | カタサナ | カタサーナ | カータサナ | カーターサーナ',
      'with all vowels short, or one'],
    ['カサィヤナ', 'カサィヤナ | カサィヤナー | か さ ぃ や な | カサイヤナ | カサヰヤナ | カサィャナ | カーサィヤナ | カサィーヤナ | カサィヤーナ',
      'with large letters for small ones'],
    ['ァカサェ', 'ァカサェ | ァカサェー | ぁ か さ ぇ | アカサエ | アカサェ | ァカサエ | ァカサヱ | ァーカサェ | ァカーサェ',
      'with one letter exchanged, or all'],
  ])('%s: %s (%s)', (written, forms) => expect(listed(kanaForms(written))).toBe(forms)); // prettier-ignore

  it.each(['ァア', 'ィイ', 'イヰ', 'ィヰ', 'ゥウ', 'ェエ', 'エヱ', 'ェヱ', 'ォオ', 'ッツ', 'ャヤ', 'ュユ', 'ョヨ', 'ヮワ'])(
    'with each of %s for the other one, except at its beginning for a large letter',
    ([first = '', second = '']) => {
      expect(kanaForms(`カ${first}サタ`)).toContain(`カ${second}サタ`);
      expect(kanaForms(`カ${second}サタ`)).toContain(`カ${first}サタ`);
      expect(kanaForms(`${first}カサタ`)).toContain(`${second}カサタ`);
    },
  );

  it.each(['ァア', 'ィイ', 'ゥウ', 'ェエ', 'ォオ', 'ッツ', 'ャヤ', 'ュユ', 'ョヨ', 'ヮワ'])(
    'but begins with no small letter of %s that is written large',
    ([small = '', large = '']) => expect(kanaForms(`${large}カサタ`)).not.toContain(`${small}カサタ`),
  );

  it.each([...'ーッン'])('but without a long vowel after %s', (letter) => {
    expect(kanaForms(`カ${letter}サタ`)).not.toContain(`カ${letter}ーサタ`);
    expect(kanaForms(`カ${letter}サタ`)).toContain(`カ${letter}サータ`);
  });

  it.each([...'ーァィゥェォャュョヮ'])('but without a long vowel before %s', (letter) => {
    expect(kanaForms(`カサ${letter}タ`)).not.toContain(`カサー${letter}タ`);
    expect(kanaForms(`カサ${letter}タ`)).toContain(`カーサ${letter}タ`);
  });

  it.each([['ヴァ', 'バ'], ['ヴィ', 'ビ'], ['ヴェ', 'ベ'], ['ヴォ', 'ボ'], ['ヴ', 'ブ']])('with %s for %s and the reverse', (v, b) => {
    expect(kanaForms(`カ${v}`)).toContain(`カ${b}`);
    expect(kanaForms(`カ${b}`)).toContain(`カ${v}`);
  }); // prettier-ignore

  it.each([['ダイアモンド', 'ダイヤモンド'], ['ダイヤモンド', 'ダイアモンド']])('%s as %s', (written, other) => {
    expect(kanaForms(written)).toContain(other);
  }); // prettier-ignore
});

it.each([
  ['国', '国 國 国', 'the simplified form, the older one and itself'],
  ['東', '东 東 东', 'of an older one the same'],
  ['猫', '猫 貓 猫', 'of a character that is Japanese and simplified too'],
  ['高', '高 高 高 髙', 'variants in names, after the others'],
  ['乗', '乘 乗 乘', 'an old form that was not simplified'],
  ['並', '并 並 併 幷 并', 'an old form that is simplified otherwise in Chinese'],
  ['邊', '边 邊 辺 边 邊 辺 边 邉', 'the variants of another form'],
  ['髙', '髙 髙 髙 高', 'of a variant the same'],
  ['三嶋', '三嶋 三嶋 三嶋 三島 三岛 三嶌', 'with the forms of each variant'],
  ['斉木', '齐木 齊木 斉木 齐木 斉木 斎木 齋木 斋木 齊木 齐木', 'and those of the character itself'],
  ['臺', '台 檯 臺 颱 台', 'each older one of a simplified character'],
  ['台猫台国', '台猫台国 檯貓檯國 檯貓檯国 檯貓臺國 檯貓臺国 檯貓颱國 檯貓颱国 檯貓台國 檯貓台国', 'at most eight ways together'],
])('kanji are also written: %s as %s (%s)', (written, forms) => {
  expect(chineseForms(written).join(' ')).toBe(forms);
});
