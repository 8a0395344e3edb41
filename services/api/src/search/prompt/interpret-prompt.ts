import {
  otherForms,
  isBeginning,
  joined,
  meant,
  otherWay,
  typedAlternatives,
  typedBeginning,
  type Alternative,
} from '@ugc/text/prompt/alternatives';
import { typedOtherwise } from '@ugc/text/forms/accents';
import type { Session } from '../session.ts';
import { isSameWord } from './candidates.ts';
import { begin, correctionsIn, isAbsent, toRemember, type Correcting, type Known, type WordFacts } from './known.ts';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import type { PromptMemory } from './prompt-memory.ts';
import { askIndex } from './questions.ts';
import { STAGES } from './stages.ts';
import type { Synonym } from '@ugc/text/prompt/synonyms';

/** `most`: two words must match; if the prompt has more than eight words, one. `closest`: as many as some item has. */
export type Match = 'any' | 'most' | 'all' | 'closest';

/** What requires a number of words that depends on the prompt alone. */
type PlainMatch = Exclude<Match, 'closest'>;

/** A prompt, and what is searched for in the place of its words. */
export type Interpretation = Prompt & {
  /** `closest` only if that requires more than `most`. */
  match: Match;
  /** The number of words that an item must contain. */
  required: number;
  /** Whether fewer words are required, because no item contains as many. */
  isRelaxed: boolean;
  /** The words that no item contains, in any way. */
  missing: string[];
  alternatives: Alternative[];
  /** Alternatives that are added when fewer words are required. */
  ifRelaxed: Alternative[];
  /** How a name may have words that hardly any item contains as they are typed. */
  inNames: ReadonlyMap<string, string>;
  /** The words that few items contain. */
  rare: string[];
};

/** `required`: the number of words that `closest` requires, if that is known. */
export type Matching = { match: Match; required?: number | undefined };

type Interpreting = { session: Pick<Session, 'index' | 'searchMany'>; knownWords: PromptMemory['knownWords'] };

/**
 * Decides what is searched for. Only words that occur nowhere are replaced, so correctly spelt words keep their meaning.
 * @throws as `Session`
 */
export async function interpretPrompt(
  prompt: Prompt,
  { match, ...correcting }: Correcting & { match: PlainMatch },
  { session, knownWords }: Interpreting,
): Promise<Interpretation> {
  let known = begin(prompt, correcting, (word) => knownWords.get(keyOf(word, session)));
  for (const { ask, learn } of STAGES) known = { ...known, ...learn(known, await askIndex(session, ask(known))) };
  for (const [word, facts] of toRemember(known)) knownWords.set(keyOf(word, session), facts);
  return conclude(known, match);
}

/** @returns whether anything is remembered of the words of a prompt */
export function remembersWords({ words }: Prompt, { session, knownWords }: Interpreting): boolean {
  return words.some(({ text }) => knownWords.has(keyOf(text, session)));
}

/** What was remembered may be outdated. */
export function forgetWords({ words }: Prompt, { session, knownWords }: Interpreting): void {
  for (const { text } of words) knownWords.delete(keyOf(text, session));
}

function keyOf(word: string, { index }: Pick<Session, 'index'>): string {
  return `${index.name} ${word}`;
}

const MOST_REQUIRED = 2;

function conclude(known: Known, match: PlainMatch): Interpretation {
  const { prompt, correct, facts, synonyms, joins, missing, foreignForms, nearIfRelaxed } = known;
  const { unfinished, rules } = prompt;
  const corrections = correctionsIn(known);
  const hasBeginning = corrections.some((one) => isBeginning(one) && one.from.at(-1) === unfinished);
  const written = [
    ...typedAlternatives(prompt),
    ...corrections,
    ...foreignForms,
    ...[...facts].flatMap(([word, { ways = [] }]) => ways.map((way) => otherWay(word, way))),
    ...[...facts].flatMap(([word, { forms }]) => (forms.length > 0 ? [otherForms([word], forms)] : [])),
    ...(correct && !prompt.isDescriptive ? asTyped(prompt) : []),
    ...joins.map(joined),
    ...(hasBeginning ? [] : typedBeginning(unfinished, !isAbsent(unfinished ?? '', known), rules)),
  ];
  return {
    ...prompt,
    match,
    required: requiredWords(prompt, match),
    isRelaxed: false,
    missing: missing.filter((word) => !corrections.some(({ from }) => from.includes(word))),
    alternatives: [...withoutReplaced(written, synonyms), ...synonyms.map((synonym) => meant(synonym, prompt, isBeside(synonym, known)))],
    ifRelaxed: nearIfRelaxed,
    rare: [...facts].filter(([, { isRare }]) => isRare).map(([word]) => word),
    inNames: new Map([...facts].flatMap(([word, known]) => writtenInNames(word, known).map((written) => [word, written]))),
  };
}

/** "puppeteer" for "puppeter", which has its stem, and "sequelize" for "sequelise". */
function writtenInNames(word: string, { occurs, ways = [], proposals }: WordFacts): string[] {
  const others = occurs ? proposals.filter((one) => isSameWord(word, one)) : ways;
  return others.slice(0, 1);
}

/** "Muenchen" is found by "münchen", without a lookup. */
function asTyped({ text, rules, words }: Prompt): Alternative[] {
  const written = typedOtherwise(text).map(({ word, typed }) => ({ word: rules.fold(word), to: rules.fold(typed) }));
  return written.filter(({ word }) => words.some((one) => one.text === word)).map(({ word, to }) => otherWay(word, to));
}

/** Whether items contain the words for which a synonym stands, and the words are searched for. */
function isBeside({ from, replaces }: Synonym, { facts }: Known): boolean {
  return !replaces && from.every((word) => facts.get(word)?.occurs !== false);
}

/** Nothing else is searched for in the place of words that the operator replaces. */
function withoutReplaced(alternatives: Alternative[], synonyms: Synonym[]): Alternative[] {
  const replaced = synonyms.filter(({ replaces }) => replaces).flatMap(({ from }) => from);
  return alternatives.filter(({ from }) => !from.some((word) => replaced.includes(word)));
}

function requiredWords({ words, isLiteral, isDescriptive }: Prompt, match: PlainMatch): number {
  if (isLiteral && match !== 'any') return words.length;
  const most = isDescriptive ? 1 : MOST_REQUIRED;
  return Math.min(words.length, { any: 1, most, all: words.length }[match]);
}

/** @returns the interpretation by `most`, if more words are required; otherwise undefined */
export function asMost(interpretation: Interpretation): Interpretation | undefined {
  if (interpretation.match !== 'closest') return undefined;
  return { ...interpretation, match: 'most', required: requiredWords(interpretation, 'most') };
}

/**
 * @returns the interpretation with each lower number of required words, the highest first, and then with the last word, if it
 *   was dropped, as the beginning of others; none if `match` is strict, or requires more words than `most`
 */
export function relaxations(interpretation: Interpretation): Interpretation[] {
  const { match, required, phrases, isLiteral, isDescriptive, ifRelaxed } = interpretation;
  if (match === 'all' || match === 'closest' || isLiteral) return [];
  // The phrases of a long prompt only rank: without any word, it would match everything.
  const least = phrases.length > 0 && !isDescriptive ? 0 : 1;
  const lower = Array.from({ length: Math.max(0, required - least) }, (_, n) => required - 1 - n);
  const alternatives = [...interpretation.alternatives, ...ifRelaxed];
  return [
    ...lower.map((fewer) => ({ ...interpretation, alternatives, required: fewer, isRelaxed: true })),
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
