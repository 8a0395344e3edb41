import { STOP_WORDS } from '@ugc/shared/contracts/content-index';
import type { Prompt, Word } from './parse-prompt.ts';
import type { Repair, Vocabulary } from './vocabulary.ts';

/** `most`: two words must match; if the prompt has more than eight words, one. */
export type Match = 'any' | 'most' | 'all';

/** Two adjacent words written as one. */
export type Join = { from: [string, string]; to: string };

/**
 * A prompt, and what searchable items contain of its words. The replacements and joins of a draft are perhaps words of
 * deleted items only.
 */
export type Interpretation = Prompt & {
  match: Match;
  /** The number of words that an item must contain. */
  required: number;
  /** Whether an item contains the unfinished word as it is, or by its stem. */
  unfinishedOccurs: boolean;
  /** The words that no item contains, not even by their stem or, for the unfinished word, as the beginning of another. */
  missing: string[];
  /** The corrections of those missing words that may be replaced, the most frequent first. */
  proposals: ReadonlyMap<string, string[]>;
  /** What takes the place of missing words: a correction, or the two parts of a word separated by a space. */
  replacements: ReadonlyMap<string, string>;
  joins: Join[];
};

const MOST_REQUIRED = 2;

/** The lookups of one prompt are bounded; further words are searched for as they are written. */
const MAX_LOOKED_UP = 32;
const MAX_JOINS = 16;
const MAX_REPAIRED = 16;
const MIN_CORRECTED_LENGTH = 4;
const MAX_REPAIRED_LENGTH = 48;
const LETTERS = /^[\p{L}\p{M}]+$/u;

export type InterpretOptions = {
  match: Match;
  /** Whether words that occur nowhere are corrected and split, and adjacent words joined. */
  correct: boolean;
};

/**
 * Decides which words are searched for. Only words that occur nowhere are replaced, so correctly spelt words keep their
 * meaning. The draft is usually right; it can be searched for while `confirmDraft` checks it.
 * @throws as `Vocabulary`
 */
export async function interpretPrompt(
  prompt: Prompt,
  { match, correct }: InterpretOptions,
  vocabulary: Vocabulary,
): Promise<Interpretation> {
  const { unfinished } = prompt;
  const words = prompt.isLiteral ? [] : lookedUp(prompt.words);
  const { occurring, begins, proposals } = await vocabulary.lookUp({ words, unfinished, propose: correct });
  const absent = words.filter((word) => !occurring.has(word));
  const missing = absent.filter((word) => !(begins && word === unfinished));
  const repairable = correct ? missing.filter(isRepairable).slice(0, MAX_REPAIRED) : [];
  const proposed = repairable.map((word) => ({ word, corrections: proposals.get(word) ?? [] }));
  return {
    ...prompt,
    match,
    required: requiredWords(prompt, match),
    unfinishedOccurs: unfinished !== undefined && !absent.includes(unfinished),
    missing,
    proposals: new Map(proposed.map(({ word, corrections }) => [word, corrections])),
    replacements: new Map(proposed.flatMap(({ word, corrections: [first] }) => (first === undefined ? [] : [[word, first]]))),
    joins: correct ? joinsOf(prompt) : [],
  };
}

/** Keeps only replacements and joined words that a searchable item contains. @throws as `Vocabulary` */
export async function confirmDraft(draft: Interpretation, vocabulary: Vocabulary): Promise<Interpretation> {
  const [replacements, occurring] = await Promise.all([
    repairWords(draft, vocabulary),
    vocabulary.findOccurring(draft.joins.map(({ to }) => to)),
  ]);
  return { ...draft, replacements, joins: draft.joins.filter(({ to }) => occurring.includes(to)) };
}

/**
 * @returns whether both interpretations find the same items. Joined words that occur nowhere make no difference, nor do
 *   singular and plural, which have the same stem.
 */
export function findSameItems(one: Interpretation, other: Interpretation): boolean {
  return one.words.every(({ text }) => isSameWord(one.replacements.get(text), other.replacements.get(text)));
}

function isSameWord(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && (one === `${other}s` || other === `${one}s`));
}

function lookedUp(words: Word[]): string[] {
  const plain = words.filter(({ kind }) => kind === 'word').map(({ text }) => text);
  return plain.slice(0, MAX_LOOKED_UP);
}

function isRepairable(word: string): boolean {
  return LETTERS.test(word) && word.length <= MAX_REPAIRED_LENGTH;
}

function joinsOf({ pairs }: Prompt): Join[] {
  const joinable = pairs.filter((pair) => pair.every((text) => LETTERS.test(text)));
  return joinable.slice(0, MAX_JOINS).map((from) => ({ from, to: from.join('') }));
}

function requiredWords({ words, isDescriptive }: Prompt, match: Match): number {
  const most = isDescriptive ? 1 : MOST_REQUIRED;
  return Math.min(words.length, { any: 1, most, all: words.length }[match]);
}

/**
 * @returns the replacements of missing words: the correction, or the two parts, that fits the other words best
 * @throws as `Vocabulary`
 */
export async function repairWords({ proposals, words, pairs }: Interpretation, vocabulary: Vocabulary): Promise<Map<string, string>> {
  const context = words.filter(({ kind, text }) => kind === 'word' && !proposals.has(text)).map(({ text }) => text);
  const repair = (word: string, candidates: string[]): Repair => {
    const before = pairs.filter(([, second]) => second === word).map(([first]) => first);
    const after = pairs.filter(([first]) => first === word).map(([, second]) => second);
    return { word, candidates, before, after, context };
  };
  const repaired = await vocabulary.findMostFrequent(
    [...proposals].map(([word, corrections]) => repair(word, [...corrections, ...splitsOf(word)])),
  );
  const remaining = [...proposals.keys()].filter((word) => !repaired.has(word) && word.length >= MIN_CORRECTED_LENGTH);
  const proposedMore = await vocabulary.proposeMoreCorrections(remaining);
  const more = await vocabulary.findMostFrequent([...proposedMore].map(([word, candidates]) => repair(word, candidates)));
  return new Map([...repaired, ...more]);
}

/** The ways to write a word as two, for example `dice tower`, without "a" and other stop words as parts. */
function splitsOf(word: string): string[] {
  const letters = [...word];
  const splits = letters.slice(1).map((_, at) => [letters.slice(0, at + 1).join(''), letters.slice(at + 1).join('')]);
  return splits.filter((parts) => !parts.some((part) => STOP_WORDS.includes(part))).map((parts) => parts.join(' '));
}
