import { isCode, parseLiteral, plainTerms } from '../words/literals.ts';
import type { TextRules } from '../rules/text-rules.ts';
import { STOP_WORDS } from '../languages/languages.ts';
import { NUMBERS, UNLIKE_FORMS, writtenNumber } from '../ways/english-forms.ts';
import { spellHangul } from '../words/hangul.ts';
import type { Word } from '../words/word.ts';
import type { Prompt } from './parse-prompt.ts';
import { textOf, type Synonym } from './synonyms.ts';
import { groupedMeasures } from '../ways/ways.ts';

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
 * - `key`: of a form of a word, by `promptFormKeys` or `umlautKey`
 */
export type Term = { by: 'stem' | 'sequence' | 'literal' | 'beginning' | 'key'; text: string };

/** Items with the word as it is written come before those with a `near` or a `form` one, and `completeWord`: with a longer one. */
const WEIGHTS = { typed: 1, correction: 1, near: 0.3, way: 0.9, form: 0.3, joined: 0.5, completeWord: 0.3, synonym: 0.05 };

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
  if (kind === 'run' || isLiteral) return [{ by: 'sequence', text: rules.separate(text) }];
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
  return { from: [from], to, kind: 'near', weight: WEIGHTS.near, terms: [{ by: 'stem', text: to }] };
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

/** Whether it only matches as the beginning of words. */
export function isBeginning({ terms }: Alternative): boolean {
  return terms.every(({ by }) => by === 'beginning');
}

/** Whether the operator replaces the word, so that it is not searched for. */
export function isReplaced(word: string, alternatives: Alternative[]): boolean {
  return !alternatives.some(({ kind, from }) => kind === 'typed' && from.includes(word));
}

/** @returns the corrections by word, without those that are beginnings */
export function correctionsOf(alternatives: Alternative[]): ReadonlyMap<string, string> {
  const corrections = alternatives.filter((one) => isCorrection(one) && !isBeginning(one));
  return new Map(corrections.map(({ from, to }) => [from.join(' '), to]));
}

/**
 * Up to six adjacent words written as one. With `isBeginning`, as the beginning of one: the last of them is unfinished.
 * `isCompound`: with words that are not searched for, such as the last one of "plug-in". `isLinked`: with letters in between.
 */
export type Join = { from: string[]; to: string; isBeginning: boolean; isCompound?: boolean; isLinked?: boolean };

const MAX_JOINS = 16;
/** Shorter beginnings are those of too many words. */
const MIN_JOINED_BEGINNING = 4;
const MAX_BESIDE_APOSTROPHE = 3;
const NUMBERED_NAME = /^\p{L}{2,}$/u;
const LETTERS_OR_DIGITS = /^[\p{L}\p{M}\p{Nd}]+$/u;

/** @returns the ways to join the words of a prompt, at most so many that the lookup stays small */
export function joinsOf(prompt: Prompt): Join[] {
  const measures = [...joinedCompounds(prompt), ...joinedMeasures(prompt)].slice(0, MAX_JOINS / 2);
  const joins = [...measures, ...joinedWords(prompt), ...linkedWords(prompt)];
  return [...new Map(joins.map((join) => [`${join.from.join(' ')}=${join.to}`, join])).values()].slice(0, MAX_JOINS);
}

const NUMBER = /^\d+(?:[.,]\d+)?$/;
const UNIT = /^\p{L}{1,4}$/u;
const THOUSANDS = /(?<=^\d{1,3}),(?=\d{3}(?!\d))/;
/** From "10 x 20 x 30 cm" to "1.5 kg". */
const MEASURE_LENGTHS = [6, 5, 4, 3, 2];

/** "1.5 kg" is also written "1.5kg", "20,000 mah" is "20000mah", and "24 x 36 cm" is "24x36cm". */
function joinedMeasures({ sequences, rules, unfinished }: Prompt): Join[] {
  const ofLength = (length: number): string[][] =>
    sequences.flatMap((words) => words.slice(length - 1).map((_, at) => words.slice(at, at + length).map(({ text }) => text)));
  const isMeasure = (words: string[]): boolean => words.every((word, at) => (at % 2 === 0 ? NUMBER : UNIT).test(word));
  return MEASURE_LENGTHS.flatMap(ofLength)
    .filter(isMeasure)
    .flatMap((from) => {
      const [number = '', unit = '', ...more] = from;
      const grouped = more.length === 0 ? groupedMeasures(number, unit) : [];
      const texts = new Set([from.join(''), from.join('').replace(THOUSANDS, ''), ...grouped]);
      const isBeginning = more.length > 0 && from.at(-1) === unfinished;
      return Array.from(texts, (text) => ({ from, to: rules.separate(text), isBeginning }));
    });
}

/** "plug-in" is also written "plugin", although "in" is not searched for. */
function joinedCompounds({ compounds, words, dropped }: Prompt): Join[] {
  return compounds.flatMap((compound) => {
    const parts = compound.split('-');
    const from = parts.filter((part) => words.some((word) => word.text === part));
    const hasDropped = parts.some((part) => dropped.includes(part));
    return from.length > 0 && hasDropped ? [{ from, to: parts.join(''), isBeginning: false, isCompound: true }] : [];
  });
}

function joinedWords({ pairs, unfinished }: Prompt): Join[] {
  const triples = pairs.flatMap(([one, two]) => pairs.filter(([first]) => first === two).map(([, three]) => [one, two, three]));
  const joinable = [...pairs, ...triples].filter((words) => words.every((text) => LETTERS_OR_DIGITS.test(text)));
  const isUnfinished = (from: string[]): boolean => from.at(-1) === unfinished && from.join('').length >= MIN_JOINED_BEGINNING;
  return joinable.flatMap((from) => joinedForms(from).map((to, form) => ({ from, to, isBeginning: form === 0 && isUnfinished(from) })));
}

/** German and Dutch write letters between the parts of a compound. The most frequent ones come first. */
const LINKING_LETTERS = ['s', 'n', 'en', 'es', 'er'];
const LINKED = /^\p{sc=Latin}{4,}$/u;

/** "geburt anzeige" is also written "geburtsanzeige". */
function linkedWords({ pairs }: Prompt): Join[] {
  const linked = pairs.filter((words) => words.every((word) => LINKED.test(word)));
  return LINKING_LETTERS.flatMap((letters) => linked.map((from) => ({ from, to: from.join(letters), isBeginning: false, isLinked: true })));
}

/** "rock n roll" is also written "rock'n'roll", "aujourd hui" is "aujourd'hui", and "ww 2" is "wwii". */
function joinedForms(words: string[]): string[] {
  const isShort = words.length === 3 ? words[1] === 'n' : words.some((word) => word.length <= MAX_BESIDE_APOSTROPHE);
  // An apostrophe between letters and digits separates words.
  const hasApostrophes = isShort && /^(?:\D+|\d+)$/.test(words.join(''));
  const numerals = NUMBERED_NAME.test(words[0] ?? '') ? (NUMBERS.get(words.at(-1) ?? '') ?? []) : [];
  const number = words.length === 2 ? writtenNumber(words) : undefined;
  return [
    words.join(''),
    ...(hasApostrophes ? [words.join("'")] : []),
    ...numerals.map((numeral) => [...words.slice(0, -1), numeral].join('')),
    ...(number === undefined ? [] : [number]),
  ];
}
