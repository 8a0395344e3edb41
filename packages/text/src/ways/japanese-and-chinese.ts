import JAPANESE_TO_TRADITIONAL from 'opencc-js/dict/JPShinjitaiCharacters';
import TRADITIONAL_TO_SIMPLIFIED from 'opencc-js/dict/TSCharacters';
import { KANJI_VARIANTS } from './kanji-variants.ts';

const KATAKANA_FROM_HIRAGANA = 0x60;

/** Each letter is a term. A final ー is often omitted. */
export function kanaForms(run: string): string[] {
  const katakana = shiftLetters(run, /[ぁ-ゖ]/g, KATAKANA_FROM_HIRAGANA);
  const hiragana = shiftLetters(run, /[ァ-ヶ]/g, -KATAKANA_FROM_HIRAGANA);
  const short = katakana.replace(/ー+$/, '');
  const [v, b] = [exchangeAll(katakana, B_TO_V), exchangeAll(katakana, V_TO_B)];
  return [katakana, short, `${short}ー`, v, b, [...hiragana].join(' '), ...looseKatakana(run)];
}

const KATAKANA = /^[ァ-ヶー]{4,}$/;
/** Letters that are written for each other: a small one, the usual one, and an old one. */
const LETTERS = ['ァア', 'ィイヰ', 'ゥウ', 'ェエヱ', 'ォオ', 'ッツ', 'ャヤ', 'ュユ', 'ョヨ', 'ヮワ'];
const ALIKE = new Map(LETTERS.flatMap((alike) => Array.from(alike, (letter) => [letter, [...alike]] as const)));

/** No vowel is long after these letters, and before these. */
const NOT_LONG = /^[ーッン]|[ーァィゥェォャュョヮ]$/;

/**
 * "ウイスキー" is also written "ウィスキー" or "ウヰスキー", "ダイヤモンド" is "ダイアモンド", and "ボディバッグ" is "ボディーバッグ". In shorter
 * words a long vowel tells words apart: "ビル", "ビール".
 */
function looseKatakana(run: string): string[] {
  if (!KATAKANA.test(run)) return [];
  const letters = [...run];
  const exchanged = letters.flatMap((letter, at) => {
    // No word begins with a small letter.
    const others = (ALIKE.get(letter) ?? []).filter((other, position) => other !== letter && (at > 0 || position > 0));
    return others.map((other) => letters.with(at, other).join(''));
  });
  const places = letters.map((_, at) => at).slice(1);
  const shorter = places.filter((at) => letters[at] === 'ー').map((at) => letters.toSpliced(at, 1).join(''));
  const longer = places
    .filter((at) => !NOT_LONG.test(letters.slice(at - 1, at + 1).join('')))
    .map((at) => letters.toSpliced(at, 0, 'ー').join(''));
  const large = letters.map((letter) => ALIKE.get(letter)?.[1] ?? letter).join('');
  const glided = [run.replaceAll('イア', 'イヤ'), run.replaceAll('イヤ', 'イア')];
  return [large, ...exchanged, ...glided, run.replaceAll('ー', ''), ...shorter, ...longer];
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
  if (japanese !== simple && !simplified.has(japanese)) simplified.set(japanese, simple);
}
const written = Map.groupBy([...simplified], ([, simple]) => simple);

function entriesOf(dictionary: string): string[][] {
  return dictionary.split('|').map((entry) => entry.split(' '));
}

/**
 * @returns the text in simplified characters, the ways to write it in traditional and Japanese ones, by the data of OpenCC,
 *   and those with other variants of its kanji
 */
export function chineseForms(text: string): string[] {
  const simple = Array.from(text, toSimple);
  const variants = Array.from(text, variantsOf);
  const hasVariants = variants.some(({ length }) => length > 1);
  return [simple.join(''), ...combined(simple.map(formsOf)), ...(hasVariants ? combined(variants) : [])];
}

function toSimple(character: string): string {
  return simplified.get(character) ?? character;
}

/** @param options for each character */
function combined(options: string[][]): string[] {
  const append = (beginnings: string[], characters: string[]): string[] =>
    beginnings.flatMap((beginning) => characters.map((other) => beginning + other)).slice(0, MAX_FORMS);
  return options.reduce(append, ['']);
}

/** The character, and the others of its group with their old and new forms. */
function variantsOf(character: string): string[] {
  const group = formsOf(toSimple(character)).flatMap((one) => KANJI_VARIANTS.get(one) ?? []);
  const others = group.flatMap((one) => [one, ...formsOf(toSimple(one))]);
  return [...new Set([character, ...others])];
}

/** Many characters, such as 台, are also written so in traditional texts. */
function formsOf(simple: string): string[] {
  return [...(written.get(simple) ?? []).map(([character]) => character), simple];
}
