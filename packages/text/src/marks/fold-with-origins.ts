import type { TextRules } from '../rules/text-rules.ts';
import { INNER_JAMO, MARK } from '../words/normalized.ts';
import { Remembered, textBytes } from '../words/remembered.ts';
import type { Range } from '../words/tokens.ts';

/** A folded text. `origin` returns the part of the original text that a part of the folded text was made of. */
export type FoldedText = { text: string; origin: (range: Range) => Range };

/** A folded text, and the rules by which it is folded. */
type Folded = { folded: string; rules: TextRules };

/** Each UTF-16 code unit of a folded text has the part of the original text that it was made of. */
type Origins = { starts: number[]; ends: number[] };

const ASCII_ONLY = /^[\0-\x7f]*$/;

// Whatever folding may combine: a letter and its marks, with the tatweel that is left out between them, the parts of an
// emoji, the letters of a Korean syllable, the vowel AM of Thai and Lao. Marks are limited over the jamo between them, too.
const COMBINING = String.raw`[${MARK}\p{Default_Ignorable_Code_Point}\u{1f3fb}-\u{1f3ff}\u0640\u0e32\u0e33\u0eb2\u0eb3]`;
const JAMO = String.raw`[[\p{sc=Hangul}\uffa0-\uffdc]--[가-힣]]`;
const CLUSTER = new RegExp(
  [
    // Only for speed: characters that are folded to themselves, one by one.
    String.raw`(?<plain>[a-zぁ-んァ-ヴー一-鿿а-я가-힣]+)(?!${COMBINING}|${JAMO})`,
    String.raw`[가-힣]?(?:${JAMO}${COMBINING}*)+`,
    String.raw`.(?:${COMBINING}${INNER_JAMO}*|(?<=\u200d)\p{Extended_Pictographic})*`,
  ].join('|'),
  'gsv',
);

/** Folds a text without blanks, and returns the origins of the result. */
export function foldWithOrigins(text: string, rules: TextRules): FoldedText {
  if (ASCII_ONLY.test(text)) return { text: text.toLowerCase(), origin: (range) => range };
  const folded = rules.fold(text);
  const origins = align(text, { folded, rules });
  if (!origins) return { text: folded, origin: () => ({ start: 0, end: text.length }) };
  return { text: folded, origin: ({ start, end }) => ({ start: origins.starts[start] ?? 0, end: origins.ends[end - 1] ?? 0 }) };
}

/**
 * Folds the text cluster by cluster and compares. Blanks may differ: folding inserts them between words, and between
 * a number and its fraction.
 * @returns undefined if the text is folded in another way than its clusters
 */
function align(text: string, whole: Folded): Origins | undefined {
  const origins: Origins = { starts: [], ends: [] };
  for (const match of text.matchAll(CLUSTER)) if (!alignCluster(match, whole, origins)) return undefined;
  return origins.starts.length === whole.folded.length ? origins : undefined;
}

/** Adds the origins of a cluster to those of the clusters before. @returns whether the folded text continues with it */
function alignCluster({ 0: cluster, index, groups }: RegExpExecArray, { folded, rules }: Folded, { starts, ends }: Origins): boolean {
  const isPlain = groups?.['plain'] !== undefined;
  const units = isPlain ? cluster : foldCluster(cluster, rules);
  for (let n = 0; n < units.length; n += 1) {
    for (; folded[starts.length] === ' ' && units[n] !== ' '; ends.push(index)) starts.push(index);
    if (folded[starts.length] === units[n]) {
      starts.push(isPlain ? index + n : index);
      ends.push(isPlain ? index + n + 1 : index + cluster.length);
    } else if (units[n] !== ' ') return false;
  }
  return true;
}

const MIB = 2 ** 20;

/** Most texts consist of few different clusters. */
const foldCluster = remembered((cluster, { fold }) => fold(cluster), { length: 16, bytes: 8 * MIB, bytesOf: textBytes });

type Compute<T> = (text: string, rules: TextRules) => T;
type Limits<T> = { length: number; bytes: number; bytesOf: (result: T) => number };

/** Remembers the results for texts of at most `length` UTF-16 code units, of each version of the rules. */
export function remembered<T>(compute: Compute<T>, { length, bytes, bytesOf }: Limits<T>): Compute<T> {
  const results = new Map<TextRules, Remembered<T>>();
  return (text, rules) => {
    if (text.length > length) return compute(text, rules);
    const known = results.get(rules) ?? new Remembered(bytes, bytesOf);
    results.set(rules, known);
    const earlier = known.get(text);
    if (earlier !== undefined) return earlier;
    const result = compute(text, rules);
    known.add(text, result);
    return result;
  };
}
