import JAPANESE_TO_TRADITIONAL from 'opencc-js/dict/JPShinjitaiCharacters';
import TRADITIONAL_TO_SIMPLIFIED from 'opencc-js/dict/TSCharacters';
import { splitsOf } from './parts.ts';

const KATAKANA_FROM_HIRAGANA = 0x60;

/** A run of katakana is one term, of hiragana each letter is one. A final ー is often omitted. */
export function kanaForms(run: string): string[] {
  const katakana = shiftLetters(run, /[ぁ-ゖ]/g, KATAKANA_FROM_HIRAGANA);
  const hiragana = shiftLetters(run, /[ァ-ヶ]/g, -KATAKANA_FROM_HIRAGANA);
  const short = katakana.replace(/ー+$/, '');
  const [v, b] = [exchangeAll(katakana, B_TO_V), exchangeAll(katakana, V_TO_B)];
  return [katakana, short, `${short}ー`, v, b, [...hiragana].join(' '), ...splitsOf(katakana, 2)];
}

/** "violin" is written with either consonant. */
const V_TO_B = ['ヴァ=バ', 'ヴィ=ビ', 'ヴェ=ベ', 'ヴォ=ボ', 'ヴ=ブ'].map((pair) => pair.split('=') as [string, string]);
const B_TO_V = V_TO_B.map(([v, b]): [string, string] => [b, v]);

function exchangeAll(text: string, pairs: [string, string][]): string {
  return pairs.reduce((exchanged, [from, to]) => exchanged.replaceAll(from, to), text);
}

function shiftLetters(text: string, letters: RegExp, by: number): string {
  return text.replaceAll(letters, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + by));
}

/** A simplified character can stand for several others, a word for many combinations of them. */
const MAX_FORMS = 8;

const simplified = new Map(entriesOf(TRADITIONAL_TO_SIMPLIFIED).map(([traditional = '', simple = '']) => [traditional, simple]));
for (const [japanese = '', ...older] of entriesOf(JAPANESE_TO_TRADITIONAL)) {
  const simple = older.map((character) => simplified.get(character) ?? character)[0] ?? japanese;
  for (const character of [japanese, ...older]) if (character !== simple && !simplified.has(character)) simplified.set(character, simple);
}
const written = Map.groupBy([...simplified], ([, simple]) => simple);

function entriesOf(dictionary: string): string[][] {
  return dictionary.split('|').map((entry) => entry.split(' '));
}

/** @returns the text in simplified characters, and the ways to write it in traditional and Japanese ones, by the data of OpenCC */
export function chineseForms(text: string): string[] {
  const simple = Array.from(text, (character) => simplified.get(character) ?? character);
  const forms = simple.reduce(
    (beginnings, character) => beginnings.flatMap((beginning) => formsOf(character).map((other) => beginning + other)).slice(0, MAX_FORMS),
    [''],
  );
  return [simple.join(''), ...forms];
}

/** Many characters, such as 台, are also written so in traditional texts. */
function formsOf(simple: string): string[] {
  return [...(written.get(simple) ?? []).map(([character]) => character), simple];
}
