import { isCode, parseLiteral, plainTerms } from '../words/literals.ts';
import type { TextRules } from '../rules/text-rules.ts';
import { STOP_WORDS } from '../languages/languages.ts';
import { UNLIKE_FORMS } from '../ways/english-forms.ts';
import { spellHangul } from '../words/hangul.ts';
import type { Word } from '../words/word.ts';
import type { Join } from './joins.ts';
import type { Prompt } from './parse-prompt.ts';
import { textOf, type Synonym } from './synonyms.ts';

/**
 * - `typed`: as the prompt is written
 * - `spelling`, `split`: what takes the place of a word that no item contains
 * - `near`: a word that differs in one letter from a rare one, and is searched for besides it
 * - `way`: another way in which items write the word
 * - `form`: the word in another form, such as the plural, by the language of the item
 * - `joined`: adjacent words as one
 * - `synonym`: what the operator says that words mean
 */
export type Kind = 'typed' | 'spelling' | 'split' | 'near' | 'way' | 'form' | 'joined' | 'synonym';

/**
 * What is searched for in the place of words of a prompt. The query, the marks, the explanation and `Search-Correction` all
 * come from the list of alternatives, so that they agree.
 * @property from the words of the prompt; an item that contains the alternative counts as one with each of them
 * @property to as the response names it
 * @property weight of a match, beside that of the word as it is typed, which is 1
 * @property terms the ways in which items contain it
 */
export type Alternative = { from: string[]; to: string; kind: Kind; weight: number; terms: Term[] };

/**
 * - `stem`: a word in all its forms
 * - `sequence`: terms that follow each other, not stemmed; also a single one
 * - `literal`: text with symbols, by `parseLiteral`
 * - `beginning`: of a word, of the last of several words, or of text with symbols
 * - `key`: of a form of a word, by `promptFormKeys` or `promptLetterKeys`
 */
export type Term = { by: 'stem' | 'sequence' | 'literal' | 'beginning' | 'key'; text: string };

/** Items with the word as it is written come before those with one that resembles it, in another form or a longer one. */
const BEHIND_THE_WORD = 0.3;
/** `completeWord`: items with a longer word than the unfinished one, which is a word itself. */
const WEIGHTS = {
  ...{ typed: 1, correction: 1, way: 0.9, joined: 0.5, synonym: 0.05 },
  ...{ near: BEHIND_THE_WORD, form: BEHIND_THE_WORD, completeWord: BEHIND_THE_WORD },
};

type Writing = Pick<Prompt, 'rules' | 'isLiteral' | 'isDescriptive'>;

export function typedAlternatives(prompt: Prompt): Alternative[] {
  return prompt.words.map((word) => {
    // An item with the words as they are joined in the prompt comes first, because few items have it.
    return typedAs(word.text, WEIGHTS.typed, [...termsOf(word, prompt), ...wholeOf(word, prompt)]);
  });
}

function wholeOf({ kind, within }: Word, { rules }: Prompt): Term[] {
  if (within === undefined) return [];
  return kind === 'run' ? [{ by: 'sequence', text: rules.separate(within) }] : [{ by: 'literal', text: within }];
}

/** A beginning of one letter would match too many words. */
const MIN_BEGINNING_LENGTH = 2;

/** @param isComplete whether items contain the unfinished word as it is, or by its stem */
export function typedBeginning(unfinished: string | undefined, isComplete: boolean, { separate }: TextRules): Alternative[] {
  if (unfinished === undefined || spellHangul(unfinished).length < MIN_BEGINNING_LENGTH) return [];
  const weight = isComplete ? WEIGHTS.completeWord : WEIGHTS.typed;
  // "node.j" begins "node.js", and "node js"; "c+" begins "c++" only.
  const texts = new Set(parseLiteral(unfinished)?.strict ? [unfinished] : [unfinished, plainTerms(unfinished, separate)]);
  const terms = Array.from(texts, (text): Term => ({ by: 'beginning', text }));
  return [typedAs(unfinished, weight, terms)];
}

function typedAs(text: string, weight: number, terms: Term[]): Alternative {
  return { from: [text], to: text, kind: 'typed', weight, terms };
}

function termsOf({ kind, text }: Word, { rules, isLiteral, isDescriptive }: Writing): Term[] {
  if (kind === 'literal') return literalTerms(text, rules);
  // The stemmed field omits stop words.
  if (kind === 'run' || isLiteral || STOP_WORDS.includes(text)) return [{ by: 'sequence', text: rules.separate(text) }];
  const forms = isDescriptive ? undefined : UNLIKE_FORMS.get(text);
  return forms?.map((form): Term => ({ by: 'sequence', text: form })) ?? [{ by: 'stem', text }, ...codeTerms(text)];
}

function codeTerms(text: string): Term[] {
  return isCode(text) ? [{ by: 'literal', text }] : [];
}

/** `c++` does not match `c`. Other literals, such as `r2-d2`, also match as the sequence of their terms. */
export function literalTerms(text: string, { separate }: TextRules): Term[] {
  return [{ by: 'literal', text }, ...(parseLiteral(text)?.strict ? [] : [{ by: 'sequence' as const, text: separate(text) }])];
}

/** @param to a word, or several */
export function corrected(from: string[], to: string): Alternative {
  const isSplit = to.includes(' ');
  // The stemmed field omits stop words.
  const by = isSplit || STOP_WORDS.includes(to) ? 'sequence' : 'stem';
  return { from, to, kind: isSplit ? 'split' : 'spelling', weight: WEIGHTS.correction, terms: [{ by, text: to }] };
}

export function near(from: string, to: string): Alternative {
  return { ...corrected([from], to), kind: 'near', weight: WEIGHTS.near };
}

export function correctedBeginning(from: string[], to: string): Alternative {
  return { ...corrected(from, to), terms: [{ by: 'beginning', text: to }] };
}

export function otherWay(from: string, to: string): Alternative {
  return { from: [from], to, kind: 'way', weight: WEIGHTS.way, terms: [{ by: 'sequence', text: to }] };
}

export function otherForms(from: string[], keys: string[]): Alternative {
  return { from, to: from.join(' '), kind: 'form', weight: WEIGHTS.form, terms: keys.map((text): Term => ({ by: 'key', text })) };
}

/** Each of the words counts a part. */
export function joined({ from, to, isBeginning, isCompound = false }: Join): Alternative {
  const beginning: Term[] = isBeginning ? [{ by: 'beginning', text: to }] : [];
  const by = to.includes(' ') ? 'sequence' : 'stem';
  const terms: Term[] = [{ by, text: to }, ...codeTerms(to), ...beginning];
  return { from, to, kind: isCompound ? 'way' : 'joined', weight: WEIGHTS.joined, terms };
}

/**
 * Each of the words counts a part. Beside words that items contain, a synonym is no better than any of these items: a rare
 * synonym would score above a frequent word.
 * @param isBeside whether items contain the words as they are typed
 */
export function meant({ from, to }: Synonym, prompt: Writing, isBeside: boolean): Alternative {
  const [only, ...more] = to;
  const weight = isBeside ? WEIGHTS.synonym / to.length : WEIGHTS.way;
  const terms = only && more.length === 0 ? termsOf(only, prompt) : [{ by: 'sequence' as const, text: prompt.rules.separate(textOf(to)) }];
  return { from, to: textOf(to), kind: 'synonym', weight: weight / from.length, terms };
}

/** Whether it stands beside words that items contain, of which an item with the words must come first. */
export function isAddedSynonym({ kind, weight }: Alternative): boolean {
  return kind === 'synonym' && weight <= WEIGHTS.synonym;
}

export function isCorrection({ kind }: Alternative): boolean {
  return kind === 'spelling' || kind === 'split';
}

const IS_BEGINNING: Record<Term['by'], boolean> = { stem: false, sequence: false, literal: false, beginning: true, key: false };

/** Whether it only matches as the beginning of words. */
export function isBeginning({ terms }: Alternative): boolean {
  return terms.every(({ by }) => IS_BEGINNING[by]);
}

/** Whether the operator replaces the word, so that it is not searched for. */
export function isReplaced(word: string, alternatives: Alternative[]): boolean {
  return !alternatives.some(({ kind, from }) => kind === 'typed' && from.includes(word));
}

/** @returns the corrections by word, without those that are beginnings */
export function correctionsOf(alternatives: Alternative[]): ReadonlyMap<string, string> {
  return new Map(alternatives.filter(isWholeCorrection).map(({ from, to }) => [from.join(' '), to]));
}

/** @returns the correction of a word, alone or with others; none for one that only has beginnings */
export function correctionOf(word: string, alternatives: Alternative[]): Alternative[] {
  return alternatives.filter((one) => isWholeCorrection(one) && one.from.includes(word)).slice(0, 1);
}

function isWholeCorrection(alternative: Alternative): boolean {
  return isCorrection(alternative) && !isBeginning(alternative);
}

/** @param inPlaceOf what takes the place of a word, if anything does @returns the words, and what does, each alternative once */
export function withReplaced(words: string[], inPlaceOf: (word: string) => Alternative[]): string[] {
  const placed = words.flatMap((word): (string | Alternative)[] => {
    const found = inPlaceOf(word);
    return found.length === 0 ? [word] : found;
  });
  return Array.from(new Set(placed), (one) => (typeof one === 'string' ? one : one.to));
}
