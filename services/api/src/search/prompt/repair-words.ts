import { corrected, correctedBeginning, type Alternative } from '@ugc/text/prompt/alternatives';
import { inOtherLayouts, LETTER_KEYS, transliterated } from '@ugc/text/ways/other-scripts';
import { foldedWords, type Prompt } from '@ugc/text/prompt/parse-prompt';
import { splitsAtStopWords, splitsOf, splitsOfSingular, threePartsOf } from '@ugc/text/ways/parts';
import { withCaseEndings } from '@ugc/text/ways/affixes';
import { variantsOf } from '@ugc/text/ways/variants';
import type { Repair } from './vocabulary-searches.ts';
import type { Vocabulary } from './vocabulary.ts';

const MAX_BEGINNINGS = 4;
const MIN_CORRECTED_LENGTH = 4;
/** Two edits, parts at stop words, three parts and case endings are some hundred phrases for each word. */
const MAX_FAR = 4;

/**
 * Finds what takes the place of missing words: the correction, or the parts, that fits the other words best, or else the
 * beginning of other words.
 * @param proposals of the missing words that consist of letters, the most frequent first
 */
export async function repairWords(
  prompt: Prompt,
  missing: string[],
  proposals: ReadonlyMap<string, string[]>,
  vocabulary: Vocabulary,
): Promise<Alternative[]> {
  if (missing.length === 0) return [];
  const chunks = [...chunksWithKeys(prompt, missing)];
  const repair = toRepair(prompt, proposals);
  const repaired = await vocabulary.findMostFrequent([
    ...[...proposals].map(([word, corrections]) => repair(word, [...splitsOf(word), ...splitsOfSingular(word), ...corrections])),
    ...chunks.map(([chunk]) => repair(chunk, [], { foreign: inOtherLayouts(chunk) })),
  ]);
  const inChunks = chunks.flatMap(([chunk, parts]) => (repaired.has(chunk) ? parts : []));
  const single = [...proposals.keys()].filter((word) => !inChunks.includes(word));
  const remaining = single.filter((word) => !repaired.has(word) && word.length >= MIN_CORRECTED_LENGTH).slice(0, MAX_FAR);
  const proposedMore = await vocabulary.proposeMoreCorrections(remaining);
  const more = await vocabulary.findMostFrequent(
    [...proposedMore].map(([word, candidates]) =>
      repair(word, [...candidates, ...splitsAtStopWords(word), ...threePartsOf(word), ...withCaseEndings(word)], { inForms: true }),
    ),
  );
  const replaced = new Map([...repaired, ...more]);
  const lacking = single.filter((word) => !replaced.has(word)).slice(-MAX_BEGINNINGS);
  const unfinishedName = missing.filter((word) => word === prompt.unfinished && !proposals.has(word) && !replaced.has(word));
  const ends = chunks.filter(([chunk, parts]) => !replaced.has(chunk) && parts.at(-1) === prompt.unfinished);
  const beginnings = await vocabulary.findBeginnings(
    new Map([
      ...lacking.map((word): [string, string[][]] => [word, beginningsOf(word, prompt)]),
      ...unfinishedName.map((word): [string, string[][]] => [word, [waysToWrite(word, prompt)]]),
      ...ends.map(([chunk]): [string, string[][]] => [chunk, [inOtherLayouts(chunk)]]),
    ]),
  );
  const found = [...chunks, ...[...single, ...unfinishedName].map((word): [string, string[]] => [word, [word]])].flatMap(([text, from]) => {
    const [replacement, beginning] = [replaced.get(text), beginnings.get(text)];
    if (replacement !== undefined) return [corrected(from, replacement)];
    return beginning === undefined ? [] : [correctedBeginning(from, beginning)];
  });
  return found.filter(({ from }, at) => !found.slice(0, at).some((one) => one.from.some((word) => from.includes(word))));
}

type ToRepair = (word: string, candidates: string[], more?: Partial<Repair>) => Repair;

function toRepair({ words, pairs }: Prompt, proposals: ReadonlyMap<string, string[]>): ToRepair {
  const context = words.filter(({ kind, text }) => kind === 'word' && !proposals.has(text)).map(({ text }) => text);
  return (word, candidates, more = {}) => {
    const before = pairs.filter(([, second]) => second === word).map(([first]) => first);
    const after = pairs.filter(([first]) => first === word).map(([, second]) => second);
    return { word, candidates, before, after, context, foreign: inOtherScripts(word), ...more };
  };
}

/** What was typed with another layout of the keyboard, or in the letters of another script. */
function inOtherScripts(word: string): string[] {
  return [...inOtherLayouts(word), ...transliterated(word)];
}

const MAX_CHUNKS = 8;

/**
 * Other layouts have letters on keys with punctuation: `k.,jdm` is one word.
 * @returns the words of the prompt in each text with such keys, if no item contains one of them
 */
function chunksWithKeys({ text, rules, words }: Prompt, missing: string[]): Map<string, string[]> {
  const chunks = text.toLowerCase().split(/\s+/).filter((chunk) => LETTER_KEYS.test(chunk)); // prettier-ignore
  const parsed = chunks.slice(0, MAX_CHUNKS).map((chunk): [string, string[]] => {
    const parts = foldedWords(chunk, rules).map((part) => part.text);
    return [chunk, parts.filter((part) => words.some((word) => word.text === part))];
  });
  return new Map(parsed.filter(([, parts]) => parts.some((part) => missing.includes(part))));
}

/** An unfinished word may be written in another way, or misspelt. Otherwise the longest common part counts. */
function beginningsOf(word: string, prompt: Prompt): string[][] {
  const shorter = withoutEndings(word).map((beginning) => [beginning]);
  return word === prompt.unfinished ? [inOtherScripts(word), waysToWrite(word, prompt), nearBeginnings(word), ...shorter] : shorter;
}

function waysToWrite(text: string, { rules }: Prompt): string[] {
  return variantsOf({ text, kind: 'word', count: 1 }, rules);
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
