import type { Query } from '../response.ts';
import { anyOf, phraseQuery } from '../text-fields.ts';
import { corrected, near, type Alternative } from '@ugc/text/prompt/alternatives';
import { nearBeginnings, withoutEndings } from '@ugc/text/ways/beginnings';
import { inOtherLayouts, LETTER_KEYS, transliterated } from '@ugc/text/ways/other-scripts';
import { foldedWords, type Prompt } from '@ugc/text/prompt/parse-prompt';
import { splitsAtStopWords, splitsOf, splitsOfSingular, threePartsOf } from '@ugc/text/ways/parts';
import type { Known } from './known.ts';
import { byFrequency, count, countsIn, eachBy, type Answers, type Question } from './questions.ts';
import { withCaseEndings } from '@ugc/text/ways/affixes';
import { waysOf } from '@ugc/text/ways/ways';
import { runsIn } from '@ugc/text/forms/spelling-keys';
import { spellHangul, withoutLastLetter } from '@ugc/text/words/hangul';
import { stemOf } from '@ugc/text/words/terms';
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
export function misspellableIn({ prompt: { rules }, correct, toLookUp }: Pick<Known, 'prompt' | 'correct' | 'toLookUp'>): Misspellable[] {
  const literals = toLookUp.filter(({ kind, text }) => kind === 'literal' && parseLiteral(text)?.strict !== true);
  const parsed = literals.map(({ text }): Misspellable => {
    const terms = plainTerms(text, rules.separate).split(' ');
    return { text, terms, words: terms.filter((term) => isRepairable(term) && lengthOf(term) >= MIN_CORRECTED_LENGTH) };
  });
  return correct ? parsed.filter(({ terms, words }) => terms.length > 1 && words.length > 0) : [];
}

const NO_CANDIDATES = { candidates: [], foreign: [], beginnings: [] };

/**
 * @param missing words that no item contains
 * @param proposalsOf a word: with one edit, the most frequent first
 * @param runs that no item contains
 * @param literals that no item contains
 * @returns the gaps with their first candidates; what consists of several words comes first
 */
export function gapsOf(
  prompt: Prompt,
  missing: string[],
  proposalsOf: (word: string) => string[],
  { runs = [], literals = [] }: { runs?: Run[]; literals?: Misspellable[] } = {},
): Gap[] {
  const words = missing.filter(isRepairable).slice(0, MAX_WORDS);
  const chunks = chunksWithKeys(prompt, missing);
  const isOther = (text: string): boolean => !words.includes(text) && !chunks.some((chunk) => chunk.text === text);
  const ends = missing.filter((text) => text === prompt.unfinished && isOther(text));
  return [
    ...chunks.map(({ text, from }): Gap => ({ ...NO_CANDIDATES, kind: 'keys', text, from, foreign: inOtherLayouts(text) })),
    ...runs.map(({ text, from }): Gap => ({ ...NO_CANDIDATES, kind: 'run', text, from, candidates: proposalsOf(text) })),
    ...literals.map(({ text, terms, words: parts }): Gap => {
      const corrected = (part: string): string[] =>
        proposalsOf(part).map((one) => terms.map((term) => (term === part ? one : term)).join(' '));
      return { ...NO_CANDIDATES, kind: 'literal', text, from: [text], candidates: parts.flatMap(corrected) };
    }),
    ...words.map((text): Gap => {
      const candidates = [...splitsOf(text), ...splitsOfSingular(text), ...proposalsOf(text)];
      return { ...NO_CANDIDATES, kind: 'word', text, from: [text], candidates, foreign: inOtherScripts(text) };
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

/** `items` decides last, and counts them all. */
const COUNTS = ['adjacent', 'together', 'items'] as const;

/** Counts the items with each candidate: next to a neighbour of the gap, with another word of the prompt, and all. */
export function countCandidates(
  gap: Gap,
  { prompt, gaps }: { prompt: Prompt; gaps: Gap[] },
  toForeign: (text: string) => Query,
): Question[] {
  const { text, from, candidates, foreign } = gap;
  const { words, pairs } = prompt;
  // The parts of a split word are evidence enough that they are next to each other.
  const whole = candidates.filter((candidate) => !candidate.includes(' '));
  const before = pairs.filter(([, second]) => second === text).map(([first]) => first);
  const after = pairs.filter(([first]) => first === text).map(([, second]) => second);
  const isGap = (word: string): boolean => from.includes(word) || gaps.some((one) => one.kind === 'word' && one.text === word);
  const others = words.filter(({ kind, text: word }) => kind === 'word' && !isGap(word));
  const neighbours = (candidate: string): string[] => [
    ...before.map((word) => `${word} ${candidate}`),
    ...after.map((word) => `${candidate} ${word}`),
  ];
  const adjacent = (candidate: string): Query => anyOf(neighbours(candidate).map((phrase) => phraseQuery(phrase)));
  const anyOther: Query = { match: { words: { query: others.map((word) => word.text).join(' ') } } };
  const together = (candidate: string): Query => ({ bool: { filter: [phraseQuery(candidate), anyOther] } });
  const more = {
    adjacent: before.length + after.length > 0 ? eachBy(adjacent, whole) : [],
    together: others.length > 0 ? eachBy(together, whole) : [],
  };
  return count(`gap ${text}`, [...eachBy(phraseQuery, candidates), ...eachBy(toForeign, foreign)], { more });
}

/** @returns the gaps, filled with the candidate that most items contain as it is asked for */
export function fill(gaps: Gap[], answers: Answers): Gap[] {
  const filled = gaps.map((gap) => {
    const counts = COUNTS.map((name) => countsIn(answers, `gap ${gap.text}`, name));
    const [best, ...others] = byFrequency([...gap.candidates, ...gap.foreign], ...counts);
    return best === undefined ? gap : { ...gap, filled: corrected(gap.from, best), near: nearOf(gap, best, others) };
  });
  return withoutReplaced(filled);
}

/** The correction is the most probable word. A rarer one, such as the name of a town, may be meant. */
const MAX_NEAR = 2;
/** Shorter words differ in one letter from many others. */
export const MIN_NEAR_LENGTH = 5;

function nearOf({ kind, text, candidates }: Gap, best: string, others: string[]): Alternative[] {
  if (kind !== 'word' || text.length < MIN_NEAR_LENGTH || best.includes(' ')) return [];
  const words = others.filter((other) => candidates.includes(other) && !other.includes(' ') && !isSameWord(best, other));
  return words.slice(0, MAX_NEAR).map((other) => near(text, other));
}

/** "proces" is no other form of "process", although an "s" makes most plurals. */
export function isSameWord(one: string, other: string): boolean {
  return one === other || stemOf(one) === stemOf(other);
}

/** @returns the gaps without those of words that an earlier gap replaces too */
export function withoutReplaced(gaps: Gap[]): Gap[] {
  return gaps.filter((gap, at) => !gaps.slice(0, at).some(({ filled, from }) => filled && from.some((word) => gap.from.includes(word))));
}
