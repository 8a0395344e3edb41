import { joinsOf, type Join } from './joins.ts';
import { nearBeginnings, withoutEndings } from './near-beginnings.ts';
import type { Prompt, Word } from './parse-prompt.ts';
import { splitsOf, splitsOfSingular, threePartsOf, withCaseEndings } from './variants.ts';
import type { Repair } from './vocabulary-searches.ts';
import type { Synonym, Synonyms } from './synonyms.ts';
import type { Vocabulary } from './vocabulary.ts';

/** `most`: two words must match; if the prompt has more than eight words, one. */
export type Match = 'any' | 'most' | 'all';

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
  /** The more frequent spellings of those words that few items contain, the most frequent first. */
  rare: ReadonlyMap<string, string[]>;
  /** The corrections of those missing words that may be replaced, the most frequent first. */
  proposals: ReadonlyMap<string, string[]>;
  /**
   * What takes the place of missing words, and is searched for besides rare ones: a correction, or the two parts of a word
   * separated by a space.
   */
  replacements: ReadonlyMap<string, string>;
  /** What takes the place of missing words for which there is no replacement: the beginning of other words. */
  beginnings: ReadonlyMap<string, string>;
  joins: Join[];
  /** Other ways in which items write a word, as terms that follow each other. */
  variants: ReadonlyMap<string, string[]>;
  /** What the operator says that words of the prompt mean. */
  synonyms: Synonym[];
  /** Whether fewer words are required, because no item contains as many. */
  isRelaxed: boolean;
};

const MOST_REQUIRED = 2;

/** The lookups of one prompt are bounded; further words are searched for as they are written. */
const MAX_LOOKED_UP = 32;
const MAX_REPAIRED = 16;
const MAX_BEGINNINGS = 4;
const MIN_CORRECTED_LENGTH = 4;
const MAX_REPAIRED_LENGTH = 48;
const LETTERS = /^[\p{L}\p{M}]+$/u;
/** A rare word is probably a misspelling if so many times as many items contain a word that differs in one letter. */
const FAR_MORE_FREQUENT = 8;
/** Shorter words differ in one letter from many others. */
const MIN_RARE_LENGTH = 5;

const NONE: ReadonlyMap<string, string[]> = new Map();

export type InterpretOptions = {
  match: Match;
  /** Whether words that occur nowhere are corrected and split, and adjacent words joined. */
  correct: boolean;
  /** None for suggestions. */
  synonyms?: Synonyms;
};

/**
 * Decides which words are searched for. Only words that occur nowhere are replaced, so correctly spelt words keep their
 * meaning. The draft is usually right; it can be searched for while `confirmDraft` checks it.
 * @throws as `Vocabulary`
 */
export async function interpretPrompt(prompt: Prompt, options: InterpretOptions, vocabulary: Vocabulary): Promise<Interpretation> {
  const { match, correct } = options;
  const { unfinished } = prompt;
  const words = prompt.isLiteral ? [] : lookedUp(prompt.words);
  const varied = correct ? variedWords(prompt) : [];
  const { occurring, begins, variants: all, proposals } = await vocabulary.lookUp({ words, varied, unfinished, propose: correct });
  const variants = withoutSplits(
    all,
    words.filter((word) => !occurring.has(word)),
  );
  const synonyms = synonymsIn(prompt, options);
  // Words that the operator knows are spelt as they are meant.
  const unknown = words.filter((word) => !synonyms.some(({ from }) => from.includes(word)));
  const absent = unknown.filter((word) => !occurring.has(word) && !variants.has(word));
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
    beginnings: new Map(),
    joins: correct ? joinsOf(prompt) : [],
    variants,
    synonyms,
    isRelaxed: false,
    rare: correct && !prompt.isDescriptive ? rareWords(unknown, occurring, proposals) : NONE,
  };
}

/** Literal prompts and descriptions have none, like other ways to write a word. */
function synonymsIn(prompt: Prompt, { correct, synonyms }: InterpretOptions): Synonym[] {
  return synonyms && correct && !prompt.isLiteral && !prompt.isDescriptive ? synonyms.in(prompt) : [];
}

/** A description has enough other words, and a rare way to write one of them would count too much. */
function variedWords({ words, isLiteral, isDescriptive }: Prompt): Word[] {
  return isLiteral || isDescriptive ? [] : words.slice(0, MAX_LOOKED_UP);
}

/** The two parts of a word that does not occur are not certain: they compete with its corrections. */
function withoutSplits(variants: ReadonlyMap<string, string[]>, absent: string[]): Map<string, string[]> {
  const certain = [...variants].map(([word, forms]): [string, string[]] => {
    const splits = absent.includes(word) && LETTERS.test(word) ? splitsOf(word) : [];
    return [word, forms.filter((form) => !splits.includes(form))];
  });
  return new Map(certain.filter(([, forms]) => forms.length > 0));
}

/** The more frequent spellings of words that few items contain. */
function rareWords(words: string[], occurring: Set<string>, proposals: ReadonlyMap<string, string[]>): Map<string, string[]> {
  const rare = words.filter((word) => occurring.has(word) && isRepairable(word) && word.length >= MIN_RARE_LENGTH);
  const spellings = rare
    .slice(0, MAX_REPAIRED)
    .map((word): [string, string[]] => [word, (proposals.get(word) ?? []).filter((proposal) => !isSameWord(word, proposal))]);
  return new Map(spellings.filter(([, proposed]) => proposed.length > 0));
}

/** Keeps only replacements and joined words that a searchable item contains. @throws as `Vocabulary` */
export async function confirmDraft(draft: Interpretation, vocabulary: Vocabulary): Promise<Interpretation> {
  const [repaired, frequent, occurring] = await Promise.all([
    repairWords(draft, vocabulary),
    vocabulary.findFarMoreFrequent(draft.rare, FAR_MORE_FREQUENT),
    vocabulary.findOccurring(draft.joins),
  ]);
  const replacements = new Map([...repaired.replacements, ...frequent]);
  return { ...draft, replacements, beginnings: repaired.beginnings, joins: occurring };
}

/**
 * @returns whether both interpretations find the same items. Joined words that occur nowhere make no difference, nor do
 *   singular and plural, which have the same stem.
 */
export function findSameItems(one: Interpretation, other: Interpretation): boolean {
  return one.words.every(
    ({ text }) =>
      one.beginnings.get(text) === other.beginnings.get(text) && isSameWord(one.replacements.get(text), other.replacements.get(text)),
  );
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

function requiredWords({ words, isDescriptive }: Prompt, match: Match): number {
  const most = isDescriptive ? 1 : MOST_REQUIRED;
  return Math.min(words.length, { any: 1, most, all: words.length }[match]);
}

type Repaired = Pick<Interpretation, 'replacements' | 'beginnings'>;

/**
 * @returns what takes the place of missing words: the correction, or the two parts, that fits the other words best, or else
 *   the beginning of other words
 * @throws as `Vocabulary`
 */
export async function repairWords({ proposals, words, pairs, unfinished }: Interpretation, vocabulary: Vocabulary): Promise<Repaired> {
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
  const replacements = new Map([...repaired, ...more]);
  const lacking = [...proposals.keys()].filter((word) => !replacements.has(word)).slice(-MAX_BEGINNINGS);
  const candidates = lacking.map((word): [string, string[][]] => [word, beginningsOf(word, word === unfinished)]);
  return { replacements, beginnings: await vocabulary.findBeginnings(new Map(candidates)) };
}

/** An unfinished word may be misspelt, or the items write it apart. Otherwise the longest common part counts. */
function beginningsOf(word: string, isUnfinished: boolean): string[][] {
  const near = isUnfinished ? [...nearBeginnings(word), ...splitsOf(word, 2)] : [];
  return [near, ...withoutEndings(word).map((beginning) => [beginning])];
}

/** @returns the interpretation with each lower number of required words, the highest first; none if `match` is strict */
export function relaxations(interpretation: Interpretation): Interpretation[] {
  const { match, required, phrases } = interpretation;
  if (match !== 'most') return [];
  const least = phrases.length > 0 ? 0 : 1;
  const lower = Array.from({ length: Math.max(0, required - least) }, (_, n) => required - 1 - n);
  return lower.map((fewer) => ({ ...interpretation, required: fewer, isRelaxed: true }));
}
