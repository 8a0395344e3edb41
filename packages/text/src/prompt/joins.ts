import { NUMBERS, writtenNumber } from '../ways/english-forms.ts';
import { groupedMeasures } from '../ways/ways.ts';
import type { Prompt } from './parse-prompt.ts';

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
  const joins = [...measures, ...joinedWords(prompt), ...joinedSmallWords(prompt), ...linkedWords(prompt)];
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

/** Two words of which one carries grammar, as in "unter tasse". */
function pairsWithSmallWord({ sequences, words, smallWords }: Prompt): string[][] {
  const [pair = [], ...more] = sequences;
  return more.length === 0 && pair.length === 2 && words.length === 1 && smallWords.length === 1 ? [pair.map(({ text }) => text)] : [];
}

/**
 * "lo dash" is also written "lodash", and "lo fi beats" is "lofi beats", although "lo" is not searched for. With a second
 * small word, a longer prompt is a sentence.
 */
function joinedSmallWords(prompt: Prompt): Join[] {
  const { sequences, words, smallWords } = prompt;
  const isSearched = (text: string): boolean => words.some((word) => word.text === text);
  const all = sequences.flatMap((sequence) => sequence.slice(1).map((word, at) => [sequence[at]?.text ?? '', word.text]));
  const beside =
    smallWords.length === 1 ? all.filter((pair) => pair.some(isSearched) && pair.some((text) => smallWords.includes(text))) : [];
  const pairs = beside.filter((pair) => pair.every((text) => LETTERS_OR_DIGITS.test(text)));
  return pairs.map((pair) => ({ ...searchedPart(pair, prompt), to: pair.join(''), isBeginning: false }));
}

function searchedPart(pair: string[], { words }: Prompt): Pick<Join, 'from' | 'isCompound'> {
  const from = pair.filter((text) => words.some((word) => word.text === text));
  return { from, isCompound: from.length < pair.length };
}

/** German and Dutch write letters between the parts of a compound. The most frequent ones come first. */
const LINKING_LETTERS = ['s', 'n', 'en', 'es', 'er'];
const LINKED = /^\p{sc=Latin}{4,}$/u;

/** "geburt anzeige" is also written "geburtsanzeige". */
function linkedWords(prompt: Prompt): Join[] {
  const pairs = [...prompt.pairs, ...pairsWithSmallWord(prompt)].filter((pair) => pair.every((word) => LINKED.test(word)));
  const linkedBy = (letters: string): Join[] =>
    pairs.map((pair) => ({ ...searchedPart(pair, prompt), to: pair.join(letters), isBeginning: false, isLinked: true }));
  return LINKING_LETTERS.flatMap(linkedBy);
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
