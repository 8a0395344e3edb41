import { corrected, correctedBeginning, type Alternative } from './alternatives.ts';
import type { Prompt } from './parse-prompt.ts';
import { splitsOf, splitsOfSingular, threePartsOf, withCaseEndings } from './variants.ts';
import type { Repair } from './vocabulary-searches.ts';
import type { Vocabulary } from './vocabulary.ts';

const MAX_BEGINNINGS = 4;
const MIN_CORRECTED_LENGTH = 4;

/**
 * Finds what takes the place of missing words: the correction, or the parts, that fits the other words best, or else the
 * beginning of other words.
 * @param proposals of missing words, the most frequent first
 */
export async function repairWords(
  { words, pairs, unfinished }: Prompt,
  proposals: ReadonlyMap<string, string[]>,
  vocabulary: Vocabulary,
): Promise<Alternative[]> {
  if (proposals.size === 0) return [];
  const context = words.filter(({ kind, text }) => kind === 'word' && !proposals.has(text)).map(({ text }) => text);
  const repair = (word: string, candidates: string[]): Repair => {
    const before = pairs.filter(([, second]) => second === word).map(([first]) => first);
    const after = pairs.filter(([first]) => first === word).map(([, second]) => second);
    return { word, candidates, before, after, context };
  };
  const repaired = await vocabulary.findMostFrequent(
    [...proposals].map(([word, corrections]) => repair(word, [...corrections, ...splitsOf(word), ...splitsOfSingular(word)])),
  );
  const remaining = [...proposals.keys()].filter((word) => !repaired.has(word) && word.length >= MIN_CORRECTED_LENGTH);
  const proposedMore = await vocabulary.proposeMoreCorrections(remaining);
  const more = await vocabulary.findMostFrequent(
    [...proposedMore].map(([word, candidates]) => repair(word, [...candidates, ...threePartsOf(word), ...withCaseEndings(word)])),
  );
  const replaced = new Map([...repaired, ...more]);
  const lacking = [...proposals.keys()].filter((word) => !replaced.has(word)).slice(-MAX_BEGINNINGS);
  const candidates = lacking.map((word): [string, string[][]] => [word, beginningsOf(word, word === unfinished)]);
  const beginnings = await vocabulary.findBeginnings(new Map(candidates));
  // In the order of the prompt.
  return [...proposals.keys()].flatMap((word) => {
    const [replacement, beginning] = [replaced.get(word), beginnings.get(word)];
    if (replacement !== undefined) return [corrected(word, replacement)];
    return beginning === undefined ? [] : [correctedBeginning(word, beginning)];
  });
}

/** An unfinished word may be misspelt, or the items write it apart. Otherwise the longest common part counts. */
function beginningsOf(word: string, isUnfinished: boolean): string[][] {
  const near = isUnfinished ? [...nearBeginnings(word), ...splitsOf(word, 2)] : [];
  return [near, ...withoutEndings(word).map((beginning) => [beginning])];
}

/** Shorter beginnings are those of too many words. Longer ones are corrected as words. */
const LENGTHS = { min: 4, max: 10 };
/** The letters of a script that are typed by mistake. */
const ALPHABETS = [/[a-z]/, /[а-я]/, /[α-ω]/].map((pattern) => ({ pattern, letters: lettersOf(pattern) }));

/** @returns the beginnings with one typing error less, and the same first letter unless the first two are transposed */
function nearBeginnings(text: string): string[] {
  const letters = [...text];
  if (letters.length < LENGTHS.min || letters.length > LENGTHS.max) return [];
  const alphabet = ALPHABETS.find(({ pattern }) => pattern.test(letters[0] ?? ''))?.letters ?? [];
  const replace = (at: number, count: number, ...by: string[]): string => letters.toSpliced(at, count, ...by).join('');
  const positions = letters.map((_, at) => at);
  const transposed = positions.slice(0, -1).map((at) => replace(at, 2, letters[at + 1] ?? '', letters[at] ?? ''));
  // Whatever the last letter is, many words begin with those before it.
  const inner = positions.slice(1, -1);
  const changed = inner.flatMap((at) => [
    replace(at, 1),
    ...alphabet.flatMap((letter) => [replace(at, 1, letter), replace(at, 0, letter)]),
  ]);
  return [...new Set([...transposed, ...changed])].filter((beginning) => beginning !== text);
}

/** The least number of letters in which words with different endings agree. English words are corrected and stemmed. */
const MIN_COMMON = { latin: 6, other: 4 };
const IS_LATIN = /^\p{sc=Latin}/u;

/** @returns the word without its last one to three letters, as in languages that inflect: "рецептами" and "рецептов" */
function withoutEndings(word: string): string[] {
  const least = MIN_COMMON[IS_LATIN.test(word) ? 'latin' : 'other'];
  const letters = [...word];
  const counts = [1, 2, 3].filter((count) => letters.length - count >= Math.max(least, 2 * count));
  return counts.map((count) => letters.slice(0, -count).join(''));
}

function lettersOf(pattern: RegExp): string[] {
  const codes = Array.from({ length: 0x500 }, (_, code) => String.fromCodePoint(code));
  return codes.filter((letter) => pattern.test(letter));
}
