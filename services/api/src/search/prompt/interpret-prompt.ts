import { STOP_WORDS } from '@ugc/shared/contracts/content-index';
import type { Prompt, PromptWord } from './parse-prompt.ts';
import type { Repair } from './vocabulary-searches.ts';
import type { Vocabulary } from './vocabulary.ts';

/** `most`: two words must match; if the prompt has more than eight words, one. */
export type Match = 'any' | 'most' | 'all';

export type InterpretedWord = PromptWord & {
  /** Whether a searchable item contains it, by its stem too. */
  occurs: boolean;
  /** Whether it is the unfinished word, and a word of a searchable item begins with it. */
  begins: boolean;
  /** Takes the place of a word that occurs nowhere: its correction, or its two parts separated by a space. */
  replacement: string | undefined;
};

/** Two adjacent words written as one. */
export type Join = { from: [string, string]; to: string };

export type Interpretation = Omit<Prompt, 'words'> & {
  words: InterpretedWord[];
  joins: Join[];
  match: Match;
  /** The number of words that an item must contain. */
  required: number;
};

/** An interpretation with replacements, and joined words, that perhaps only deleted items contain. */
export type Draft = Interpretation & { missing: string[]; proposals: Map<string, string[]> };

/** A descriptive prompt requires one. */
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
export async function interpretPrompt(prompt: Prompt, { match, correct }: InterpretOptions, vocabulary: Vocabulary): Promise<Draft> {
  const texts = prompt.isLiteral ? [] : lookedUp(prompt.words);
  const { occurring, begins, proposals } = await vocabulary.lookUp({ words: texts, unfinished: prompt.unfinished, propose: correct });
  const isBeginning = (text: string): boolean => begins && text === prompt.unfinished;
  const missing = texts.filter((text) => !occurring.has(text) && !isBeginning(text));
  const repairable = correct ? missing.filter(isRepairable).slice(0, MAX_REPAIRED) : [];
  const interpretWord = (word: PromptWord): InterpretedWord => ({
    ...word,
    occurs: !texts.includes(word.text) || occurring.has(word.text),
    begins: isBeginning(word.text),
    replacement: repairable.includes(word.text) ? proposals.get(word.text)?.[0] : undefined,
  });
  return {
    ...prompt,
    words: prompt.words.map(interpretWord),
    joins: correct ? joinsOf(prompt) : [],
    match,
    required: requiredWords(prompt, match),
    missing: repairable,
    proposals,
  };
}

/** Keeps only replacements and joined words that a searchable item contains. @throws as `Vocabulary` */
export async function confirmDraft({ missing, proposals, ...draft }: Draft, vocabulary: Vocabulary): Promise<Interpretation> {
  const [replacements, occurring] = await Promise.all([
    repairWords({ missing, proposals, ...draft }, vocabulary),
    vocabulary.findOccurring(draft.joins.map(({ to }) => to)),
  ]);
  return {
    ...draft,
    words: draft.words.map((word) => ({ ...word, replacement: replacements.get(word.text) })),
    joins: draft.joins.filter(({ to }) => occurring.includes(to)),
  };
}

/**
 * @returns whether both interpretations find the same items. Joined words that occur nowhere make no difference, nor do
 *   singular and plural, which have the same stem.
 */
export function findSameItems(one: Interpretation, other: Interpretation): boolean {
  return one.words.every(({ replacement }, position) => isSameWord(replacement, other.words[position]?.replacement));
}

function isSameWord(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && (one === `${other}s` || other === `${one}s`));
}

function lookedUp(words: PromptWord[]): string[] {
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
 * @returns replacements of words that occur nowhere: the neighbour, or the two parts, that fits the other words best
 */
async function repairWords({ missing, proposals, words, pairs }: Draft, vocabulary: Vocabulary): Promise<Map<string, string>> {
  const context = words.filter(({ kind, text }) => kind === 'word' && !missing.includes(text)).map(({ text }) => text);
  const repair = (word: string, candidates: string[]): Repair => {
    const before = pairs.filter(([, second]) => second === word).map(([first]) => first);
    const after = pairs.filter(([first]) => first === word).map(([, second]) => second);
    return { word, candidates, before, after, context };
  };
  const repaired = await vocabulary.findMostFrequent(
    missing.map((word) => repair(word, [...(proposals.get(word) ?? []), ...splitsOf(word)])),
  );
  const remaining = missing.filter((word) => !repaired.has(word) && word.length >= MIN_CORRECTED_LENGTH);
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
