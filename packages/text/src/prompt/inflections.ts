import { stemOf } from '../words/terms.ts';

const ENDINGS = ['s', 'es', 'd', 'ed', 'ing'];

/**
 * The forms of an English word that mean the same: its numbers, and the times of a verb. Other words with its stem, such as
 * "eugenics" of "eugene" and "relativity" of "relative", mean something else.
 * @returns the forms with the stem of the word, the word itself among them
 */
export function inflectionsOf(word: string): string[] {
  const bases = new Set([word, ...ENDINGS.flatMap((ending) => (word.endsWith(ending) ? basesOf(word.slice(0, -ending.length)) : []))]);
  const forms = new Set([...bases].flatMap((base) => [base, ...ENDINGS.flatMap((ending) => append(base, ending))]));
  const stem = stemOf(word);
  return stem === undefined ? [] : [...forms].filter((form) => stemOf(form) === stem);
}

/** @returns the word and its other number, of the forms of an English word */
export function numbersOf(word: string): string[] {
  return inflectionsOf(word).filter((form) => form === word || pluralOf(word) === form || pluralOf(form) === word);
}

function pluralOf(noun: string): string {
  return `${noun.replace(/(?<=[^aeiou])y$/, 'ie').replace(/(?<=[sxz]|[cs]h)$/, 'e')}s`;
}

const VOWEL = /^[aeiou]/;
/** The last letter of "stop" is doubled in "stopped". */
const DOUBLED = /[^aeiou][aeiou][bdgklmnprt]$/;

/** "mak" of "making" is "make", "stopp" is "stop", and "poni" is "pony". */
function basesOf(rest: string): string[] {
  return [rest, `${rest}e`, ...(/(.)\1$/.test(rest) ? [rest.slice(0, -1)] : []), ...(rest.endsWith('i') ? [`${rest.slice(0, -1)}y`] : [])];
}

function append(base: string, ending: string): string[] {
  const shorter = base.endsWith('y') ? `${base.slice(0, -1)}i` : base.replace(/e$/, '');
  const doubled = DOUBLED.test(base) && VOWEL.test(ending) ? [`${base}${base.slice(-1)}${ending}`] : [];
  return [base + ending, shorter + ending, ...doubled];
}
