import { normalized } from '../words/normalized.ts';

/** How the keys of a kind of letters are made. Their names begin with the kind. */
type Kind = {
  /**
   * - `folded`: that of an item is its folded word; a prompt has keys with one letter for each pair that is typed for one
   * - `typed`: that of an item is its word as it is typed
   */
  keyOf: 'folded' | 'typed';
  /** For so many pairs of a word a prompt has each choice, since a pair may be two letters; for the others, all or none. */
  choices: number;
};

const KINDS = {
  umlaut: { keyOf: 'folded', choices: 3 },
  macron: { keyOf: 'folded', choices: 0 },
  schwa: { keyOf: 'typed', choices: 0 },
} satisfies Record<string, Kind>;

/**
 * Letters that are also typed as others: the first of `typed` is what a prompt with the letter is searched for as besides.
 * Items, prompts and marks take them from here: a new letter is one row. Indices have keys by these rows, so a row that
 * changes needs a rebuild.
 */
export const LETTERS: { letter: string; kind: keyof typeof KINDS; typed: [string, ...string[]] }[] = [
  // "München" is also written "Muenchen", and folded to "munchen". "ue" is no umlaut in most words, such as "blue".
  { letter: 'ä', kind: 'umlaut', typed: ['ae'] },
  { letter: 'ö', kind: 'umlaut', typed: ['oe'] },
  { letter: 'ü', kind: 'umlaut', typed: ['ue'] },
  { letter: 'ø', kind: 'umlaut', typed: ['oe'] },
  { letter: 'å', kind: 'umlaut', typed: ['aa'] },
  { letter: 'đ', kind: 'umlaut', typed: ['dj'] },
  // Long vowels of Japanese: "Jūdō", "Juudou", "Judo".
  { letter: 'ā', kind: 'macron', typed: ['aa'] },
  { letter: 'ē', kind: 'macron', typed: ['ei', 'ee'] },
  { letter: 'ī', kind: 'macron', typed: ['ii'] },
  { letter: 'ō', kind: 'macron', typed: ['ou', 'oo'] },
  { letter: 'ū', kind: 'macron', typed: ['uu'] },
  // Lucene folds it to "a", and people type "e".
  { letter: 'ə', kind: 'schwa', typed: ['e'] },
];

type Fold = (text: string) => string;
type Rule = Kind & { name: string; letters: RegExp; typed: RegExp };

const RULES = Object.entries(KINDS).map(([name, kind]: [string, Kind]): Rule => {
  const rows = LETTERS.filter((row) => row.kind === name);
  return {
    ...kind,
    name,
    letters: new RegExp(`[${rows.map(({ letter }) => letter).join('')}]`, 'g'),
    typed: new RegExp(rows.flatMap(({ typed }) => typed).join('|'), 'g'),
  };
});
const AS_TYPED = new Map(LETTERS.map(({ letter, typed: [first] }) => [letter, first]));

const WORDS = /[\p{L}\p{M}]+/gu;
/** Precomposed Latin letters. */
const ACCENTED = /[\u00df-\u024fə\u1e00-\u1eff]/;
/** Only for speed: in any letter case, and with its mark as a character of its own. */
const MAY_HAVE_LETTERS = new RegExp(`[\\u0300-\\u036f${LETTERS.map(({ letter }) => letter + letter.toUpperCase()).join('')}]`);

/** @returns the words of a text that have an accent, or a letter that folding replaces, in lower case */
export function wordsWithAccent(text: string): string[] {
  const words: string[] = normalized(text, 'NFC').toLowerCase().match(WORDS) ?? [];
  return words.filter((word) => ACCENTED.test(word));
}

/** @returns the words of a text that have a letter which is also typed as others, each with these, in lower case */
export function typedOtherwise(text: string): { word: string; typed: string }[] {
  const words = wordsWithAccent(text).map((word) => ({ word, typed: asTyped(word) }));
  return words.filter(({ word, typed }) => typed !== word);
}

function asTyped(word: string, letters = /./gu): string {
  return word.replace(letters, (letter) => AS_TYPED.get(letter) ?? letter);
}

/** @param word in lower case, with its accents: an item with it ranks first where the accents are typed */
export function accentKey(word: string): string {
  return `accent:${word}`;
}

/** @returns the keys of a word in lower case, which has an accent, and of its folded form */
export function itemAccentKeys(word: string, folded: string, fold: Fold): string[] {
  return [...itemLetterKeys(word, folded, fold), accentKey(word)];
}

function itemLetterKeys(word: string, folded: string, fold: Fold): string[] {
  const having = RULES.filter(({ letters }) => word.search(letters) >= 0);
  return having.map(({ name, keyOf, letters }) => `${name}:${keyOf === 'folded' ? folded : fold(asTyped(word, letters))}`);
}

/** Whether a key is of a letter, and not of a form of a language. */
export function isLetterKey(key: string): boolean {
  return RULES.some(({ name }) => key.startsWith(`${name}:`));
}

/** Whether the text may have a letter of the table. */
export function mayHaveLetters(text: string): boolean {
  return MAY_HAVE_LETTERS.test(text);
}

/** @returns the keys by which an item with the text, as it is written, is found where its letters are typed as others */
export function writtenLetterKeys(text: string, fold: Fold): string[] {
  return wordsWithAccent(text).flatMap((word) => itemLetterKeys(word, fold(word), fold));
}

/** @returns the keys of the items that write letters of the folded word as those of the table */
export function promptLetterKeys(word: string): string[] {
  return RULES.flatMap(({ name, ...rule }) => writtenForms(word, rule).map((form) => `${name}:${form}`));
}

function writtenForms(word: string, { keyOf, typed, choices }: Omit<Rule, 'name'>): string[] {
  if (keyOf === 'typed') return word.search(typed) >= 0 ? [word] : [];
  const pairs = Array.from(word.matchAll(typed), ({ index }) => index).toReversed();
  const withLetter = (text: string, at: number): string => text.slice(0, at + 1) + text.slice(at + 2);
  const first = choices > 0 ? pairs.slice(-choices) : [];
  const some = first.reduce((words, at) => words.flatMap((one) => [one, withLetter(one, at)]), [word]);
  return [...new Set([...some, pairs.reduce(withLetter, word)])].filter((one) => one !== word);
}
