import type { Alternative } from '@ugc/text/prompt/alternatives';
import { nearBeginnings, withoutEndings } from '@ugc/text/ways/beginnings';
import { inOtherLayouts, LETTER_KEYS, transliterated } from '@ugc/text/ways/other-scripts';
import { foldedWords, type Prompt } from '@ugc/text/prompt/parse-prompt';
import { splitsAtStopWords, splitsOf, splitsOfSingular, threePartsOf } from '@ugc/text/ways/parts';
import type { Known } from './known.ts';
import { withCaseEndings } from '@ugc/text/ways/affixes';
import { waysOf } from '@ugc/text/ways/ways';
import { runsIn } from '@ugc/text/forms/spelling-keys';
import { spellHangul, withoutLastLetter } from '@ugc/text/words/hangul';
import { parseLiteral, plainTerms } from '@ugc/text/words/literals';
import { hasOnlyLetters } from '@ugc/text/words/word';

/**
 * What no item contains, until something is found that takes its place:
 * - `word`: of letters
 * - `keys`: a text with keys that have letters in other layouts: `k.,jdm` is one word
 * - `literal`: a text with signs, of which a word is misspelt
 * - `run`: what the dictionary splits into several words, in scripts without blanks, and no item contains so
 * - `end`: the unfinished word, if it is no `word`
 * @property text as it is typed
 * @property from the words of the prompt in it
 * @property candidates for its place, the better ones first; `foreign` are in another script, `beginnings` those of longer
 *   words, in groups, the best group first
 * @property filled what takes its place, as soon as it is found
 * @property near what is searched for besides: other words that resemble the misspelt one
 * @property unlisted so many items can have a similar word that was not listed; 0 if all were, or one that is has more accounts
 * @property last candidates that count if nothing else is found
 * @property others similar words of several accounts, to be counted
 */
export type Gap = {
  kind: 'word' | 'keys' | 'literal' | 'run' | 'end';
  text: string;
  from: string[];
  candidates: string[];
  foreign: string[];
  beginnings: string[][];
  filled?: Alternative;
  near?: Alternative[];
  unlisted?: number;
  others?: string[];
  last?: string[];
};

const MAX_WORDS = 16;
const MAX_WORD_LENGTH = 48;

/** Whether a word may be misspelt. */
export function isRepairable(word: string): boolean {
  return hasOnlyLetters(word) && word.length <= MAX_WORD_LENGTH;
}

/** How many letters a word has. A syllable of Hangul has several. */
export function lengthOf(word: string): number {
  return spellHangul(word).length;
}

/** Two edits in a shorter word make another word. */
const MIN_LENGTH_FOR_TWO_EDITS = 8;

export function maxEditsOf(word: string): 1 | 2 {
  return lengthOf(word) >= MIN_LENGTH_FOR_TWO_EDITS ? 2 : 1;
}

/** Words of a script without blanks that follow each other, and the text in which they do: all of it, or a part. */
export type Run = { text: string; from: string[]; isWhole: boolean };

const MAX_RUNS = 8;
const MAX_PARTS = 3;

/** @returns the texts that are several words by the dictionary, each before its parts of two and three words */
export function runsOf({ text, words, rules, isDescriptive }: Prompt): Run[] {
  if (isDescriptive) return [];
  const isSearched = (word: string): boolean => words.some((one) => one.text === word);
  const runs = runsIn(text, rules.fold).map((run) => rules.fold(run).split(' '));
  const searched = runs.filter((run) => run.length > 1 && run.every(isSearched));
  return searched.flatMap((run) => [toRun(run, true), ...partsOf(run).map((part) => toRun(part, false))]).slice(0, MAX_RUNS);
}

function toRun(from: string[], isWhole: boolean): Run {
  return { text: from.join(''), from, isWhole };
}

function partsOf(words: string[]): string[][] {
  const lengths = [MAX_PARTS, 2].filter((length) => length < words.length);
  return lengths.flatMap((length) => words.slice(length - 1).map((_, at) => words.slice(at, at + length)));
}

/** A text with signs, its terms, and those that may be misspelt. */
export type Misspellable = { text: string; terms: string[]; words: string[] };

/** @returns the texts with signs that are looked up and have a word that is long enough to be corrected: `soket.io` */
export function misspellableIn({ prompt: { rules }, toLookUp }: Pick<Known, 'prompt' | 'toLookUp'>): Misspellable[] {
  const literals = toLookUp.filter(({ kind, text }) => kind === 'literal' && parseLiteral(text)?.strict !== true);
  const parsed = literals.map(({ text }): Misspellable => {
    const terms = plainTerms(text, rules.separate).split(' ');
    return { text, terms, words: terms.filter((term) => isRepairable(term) && lengthOf(term) >= MIN_CORRECTED_LENGTH) };
  });
  return parsed.filter(({ terms, words }) => terms.length > 1 && words.length > 0);
}

const NO_CANDIDATES = { candidates: [], foreign: [], beginnings: [] };

type Several = { runs?: Run[]; literals?: Misspellable[] };

/**
 * @param missing words that no item contains
 * @param proposalsOf a word: with one edit, the most frequent first
 * @param runs that no item contains
 * @param literals that no item contains
 * @param unlisted so many items can have a word like this one that was not proposed
 * @returns the gaps with their first candidates; what consists of several words comes first
 */
export function gapsOf(
  prompt: Prompt,
  missing: string[],
  proposalsOf: (word: string) => string[],
  { runs = [], literals = [], unlisted = () => 0 }: Several & { unlisted?: (word: string) => number } = {},
): Gap[] {
  const words = missing.filter(isRepairable).slice(0, MAX_WORDS);
  const chunks = chunksWithKeys(prompt, missing);
  const isOther = (text: string): boolean => !words.includes(text) && !chunks.some((chunk) => chunk.text === text);
  const ends = missing.filter((text) => text === prompt.unfinished && isOther(text));
  return [
    ...chunks.map(({ text, from }): Gap => ({ ...NO_CANDIDATES, kind: 'keys', text, from, foreign: inOtherLayouts(text) })),
    ...runs.map(({ text, from }): Gap => ({
      ...NO_CANDIDATES,
      kind: 'run',
      text,
      from,
      candidates: proposalsOf(text),
      unlisted: unlisted(text),
    })),
    ...literals.map(({ text, terms, words: parts }): Gap => {
      const corrected = (part: string): string[] =>
        proposalsOf(part).map((one) => terms.map((term) => (term === part ? one : term)).join(' '));
      return { ...NO_CANDIDATES, kind: 'literal', text, from: [text], candidates: parts.flatMap(corrected) };
    }),
    ...words.map((text): Gap => {
      const candidates = [...splitsOf(text), ...splitsOfSingular(text), ...proposalsOf(text)];
      return { ...NO_CANDIDATES, kind: 'word', text, from: [text], candidates, foreign: inOtherScripts(text), unlisted: unlisted(text) };
    }),
    ...ends.map((text): Gap => ({ ...NO_CANDIDATES, kind: 'end', text, from: [text] })),
  ];
}

export const MIN_CORRECTED_LENGTH = 4;

/** Whether further words are proposed. Others resemble too many words. */
export function isLongEnough({ kind, text }: Gap): boolean {
  return kind === 'word' && lengthOf(text) >= MIN_CORRECTED_LENGTH;
}

/**
 * @param proposals words of the index, some of which may be in deleted items only; undefined if none were asked for
 * @returns the gap with its last candidates. A word that resembles others is no beginning: there are hundreds of these.
 */
export function withMoreCandidates(gap: Gap, prompt: Prompt, proposals: string[] | undefined): Gap {
  const { text } = gap;
  if (!proposals) return { ...gap, ...NO_CANDIDATES, beginnings: beginningsOf(gap, prompt) };
  const candidates = [...proposals, ...splitsAtStopWords(text), ...threePartsOf(text), ...withCaseEndings(text)];
  return { ...gap, candidates, beginnings: proposals.length > 0 ? [] : beginningsOf(gap, prompt) };
}

/** What was typed with another layout of the keyboard, or in the letters of another script. */
function inOtherScripts(word: string): string[] {
  return [...inOtherLayouts(word), ...transliterated(word)];
}

const MAX_CHUNKS = 8;

/** @returns each text with keys that have letters in other layouts, if no item contains one of its words */
function chunksWithKeys({ text, rules, words }: Prompt, missing: string[]): { text: string; from: string[] }[] {
  const chunks = text.toLowerCase().split(/\s+/).filter((chunk) => LETTER_KEYS.test(chunk)); // prettier-ignore
  const parsed = [...new Set(chunks.slice(0, MAX_CHUNKS))].map((chunk) => {
    const parts = foldedWords(chunk, rules).map((part) => part.text);
    return { text: chunk, from: parts.filter((part) => words.some((word) => word.text === part)) };
  });
  return parsed.filter(({ from }) => from.some((part) => missing.includes(part)));
}

/** An unfinished word may be written in another way, or misspelt. Otherwise the longest common part counts. */
function beginningsOf({ kind, text, from }: Gap, { unfinished, rules }: Prompt): string[][] {
  const shorter = kind === 'word' ? withoutEndings(text).map((beginning) => [beginning]) : [];
  if (from.at(-1) !== unfinished) return shorter;
  if (kind === 'keys') return [inOtherLayouts(text)];
  const ways = [withoutLastLetter(text) ?? [], waysOf({ text, kind: 'word', count: 1 }, rules)].flat();
  return kind === 'end' ? [ways] : [inOtherScripts(text), ways, nearBeginnings(text), ...shorter];
}
