import {
  inflected,
  isBeginning,
  isCorrection,
  joined,
  joinsOf,
  meant,
  near,
  otherForm,
  typedAlternatives,
  typedBeginning,
  type Alternative,
} from '@ugc/text/prompt/alternatives';
import { LRUCache } from 'lru-cache';
import { wordsWithUmlaut, writeAsTwoLetters } from '@ugc/text/forms/umlauts';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import type { Word } from '@ugc/text/words/word';
import { repairWords } from './repair-words.ts';
import { splitsOf } from '@ugc/text/ways/parts';
import type { Synonym, Synonyms } from '@ugc/text/prompt/synonyms';
import { createKnownWords, type KnownWords, type Vocabulary } from './vocabulary.ts';

/** `most`: two words must match; if the prompt has more than eight words, one. */
export type Match = 'any' | 'most' | 'all';

/** A prompt, and what is searched for in the place of its words. */
export type Interpretation = Prompt & {
  match: Match;
  /** The number of words that an item must contain. */
  required: number;
  /** Whether fewer words are required, because no item contains as many. */
  isRelaxed: boolean;
  /** The words that no item contains, in any way. */
  missing: string[];
  alternatives: Alternative[];
};

/** What is remembered between requests. */
export type PromptMemory = { knownWords: KnownWords; knownPrompts: LRUCache<string, Interpretation> };

const REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 1_000;
const MAX_REMEMBERED_LENGTH = 200;

/** A prompt is interpreted once for the list, its facets and its next page, and for many users who send it. */
export function createPromptMemory(): PromptMemory {
  return { knownWords: createKnownWords(), knownPrompts: new LRUCache({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS }) };
}

/** Not with words that occur nowhere: an upload may add them. */
export function mayBeRemembered({ text, missing, alternatives }: Interpretation): boolean {
  return text.length <= MAX_REMEMBERED_LENGTH && missing.length === 0 && !alternatives.some(isCorrection);
}

const MOST_REQUIRED = 2;

/** The lookups of one prompt are bounded; further words are searched for as they are written. */
const MAX_LOOKED_UP = 32;
const MAX_REPAIRED = 16;
const MAX_REPAIRED_LENGTH = 48;
const LETTERS = /^[\p{L}\p{M}]+$/u;
/** A rare word is probably a misspelling if so many times as many items contain a word that differs in one letter. */
const FAR_MORE_FREQUENT = 8;
/** Shorter words differ in one letter from many others. */
const MIN_RARE_LENGTH = 5;

type InterpretOptions = {
  match: Match;
  /** Whether words that occur nowhere are corrected and split, and adjacent words joined. */
  correct: boolean;
  /** None for suggestions. */
  synonyms?: Synonyms;
};

/**
 * Decides what is searched for. Only words that occur nowhere are replaced, so correctly spelt words keep their meaning.
 * @throws as `Vocabulary`
 */
export async function interpretPrompt(prompt: Prompt, options: InterpretOptions, vocabulary: Vocabulary): Promise<Interpretation> {
  const { match, correct } = options;
  const { unfinished } = prompt;
  const words = prompt.isLiteral ? [] : lookedUp(prompt.words);
  const [varied, joins] = correct ? [variedWords(prompt), joinsOf(prompt)] : [[], []];
  const learnt = await vocabulary.lookUp({ words, varied, unfinished, joins, propose: correct });
  const { occurring, proposals } = learnt;
  const forms = withoutSplits(
    learnt.variants,
    words.filter((word) => !occurring.has(word)),
  );
  const synonyms = synonymsIn(prompt, options);
  // Words that the operator knows are spelt as they are meant.
  const unknown = words.filter((word) => !synonyms.some(({ from }) => from.includes(word)));
  const absent = unknown.filter((word) => !occurring.has(word) && !forms.has(word) && !learnt.forms.has(word));
  const missing = absent.filter((word) => !(learnt.begins && word === unfinished));
  const corrections = correct ? await findCorrections(prompt, { missing, unknown, occurring, proposals }, vocabulary) : [];
  const foreign = await findForms(corrections, vocabulary);
  const hasBeginning = corrections.some((one) => isBeginning(one) && one.from.at(-1) === unfinished);
  const written = [
    ...typedAlternatives(prompt),
    ...corrections,
    ...foreign,
    ...[...forms].flatMap(([word, texts]) => texts.map((text) => otherForm(word, text))),
    ...[...learnt.forms].map(([word, keys]) => inflected([word], keys)),
    ...(correct && !prompt.isDescriptive ? asTwoLetters(prompt) : []),
    ...learnt.joins.map(joined),
    ...(hasBeginning ? [] : typedBeginning(unfinished, !absent.includes(unfinished ?? ''), prompt.rules)),
  ];
  return {
    ...prompt,
    match,
    required: requiredWords(prompt, match),
    isRelaxed: false,
    missing: missing.filter((word) => !corrections.some(({ from }) => from.includes(word))),
    alternatives: [...withoutReplaced(written, synonyms), ...synonyms.map((synonym) => meant(synonym, prompt))],
  };
}

/** "Muenchen" is found by "münchen", without a lookup. */
function asTwoLetters({ text, rules, words }: Prompt): Alternative[] {
  const written = wordsWithUmlaut(text).map((word) => ({ word: rules.fold(word), to: rules.fold(writeAsTwoLetters(word)) }));
  return written.filter(({ word }) => words.some((one) => one.text === word)).map(({ word, to }) => otherForm(word, to));
}

/** Nothing else is searched for in the place of words that the operator replaces. */
function withoutReplaced(alternatives: Alternative[], synonyms: Synonym[]): Alternative[] {
  const replaced = synonyms.filter(({ replaces }) => replaces).flatMap(({ from }) => from);
  return alternatives.filter(({ from }) => !from.some((word) => replaced.includes(word)));
}

type Learnt = { missing: string[]; unknown: string[]; occurring: ReadonlySet<string>; proposals: ReadonlyMap<string, string[]> };

async function findCorrections(prompt: Prompt, learnt: Learnt, vocabulary: Vocabulary): Promise<Alternative[]> {
  const repairable = learnt.missing.filter(isRepairable).slice(0, MAX_REPAIRED);
  const [repaired, frequent] = await Promise.all([
    repairWords(prompt, learnt.missing, new Map(repairable.map((word) => [word, learnt.proposals.get(word) ?? []])), vocabulary),
    vocabulary.findFarMoreFrequent(prompt.isDescriptive ? new Map() : rareWords(learnt), FAR_MORE_FREQUENT),
  ]);
  return [...repaired, ...[...frequent].map(([word, spelling]) => near(word, spelling))];
}

const LATIN = /\p{sc=Latin}/u;

/** A word in another script than it was typed is found in its other forms, like one that is typed so. */
async function findForms(corrections: Alternative[], vocabulary: Vocabulary): Promise<Alternative[]> {
  const foreign = corrections.filter(({ from, to }) => LATIN.test(from.join('')) !== LATIN.test(to));
  if (foreign.length === 0) return [];
  const varied = foreign.map(({ to }): Word => ({ text: to, kind: 'word', count: 1 }));
  const { forms } = await vocabulary.lookUp({ words: [], varied, unfinished: undefined, joins: [], propose: false });
  return foreign.flatMap(({ from, to }) => {
    const keys = forms.get(to);
    return keys ? [inflected(from, keys)] : [];
  });
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
function rareWords({ unknown, occurring, proposals }: Learnt): Map<string, string[]> {
  const rare = unknown.filter((word) => occurring.has(word) && isRepairable(word) && word.length >= MIN_RARE_LENGTH);
  const spellings = rare
    .slice(0, MAX_REPAIRED)
    .map((word): [string, string[]] => [word, (proposals.get(word) ?? []).filter((proposal) => !isSameWord(word, proposal))]);
  return new Map(spellings.filter(([, proposed]) => proposed.length > 0));
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

function requiredWords({ words, isLiteral, isDescriptive }: Prompt, match: Match): number {
  if (isLiteral && match !== 'any') return words.length;
  const most = isDescriptive ? 1 : MOST_REQUIRED;
  return Math.min(words.length, { any: 1, most, all: words.length }[match]);
}

/**
 * @returns the interpretation with each lower number of required words, the highest first, and then with the last word, if it
 *   was dropped, as the beginning of others; none if `match` is strict
 */
export function relaxations(interpretation: Interpretation): Interpretation[] {
  const { match, required, phrases, isLiteral } = interpretation;
  if (match === 'all' || isLiteral) return [];
  const least = phrases.length > 0 ? 0 : 1;
  const lower = Array.from({ length: Math.max(0, required - least) }, (_, n) => required - 1 - n);
  return [
    ...lower.map((fewer) => ({ ...interpretation, required: fewer, isRelaxed: true })),
    ...(phrases.length > 0 ? [] : withDroppedEnd(interpretation)),
  ];
}

function withDroppedEnd(interpretation: Interpretation): Interpretation[] {
  const { droppedEnd, words, dropped, alternatives, rules } = interpretation;
  const beginnings = typedBeginning(droppedEnd, true, rules);
  if (droppedEnd === undefined || beginnings.length === 0) return [];
  const end = {
    words: [...words, { text: droppedEnd, kind: 'word' as const, count: 1 }],
    alternatives: [...alternatives, ...beginnings],
    dropped: dropped.filter((word) => word !== droppedEnd),
    unfinished: droppedEnd,
  };
  return [{ ...interpretation, ...end, required: 1, isRelaxed: true }];
}
