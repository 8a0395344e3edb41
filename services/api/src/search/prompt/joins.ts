import { NUMBERS } from './numbers.ts';
import type { Prompt } from './parse-prompt.ts';

/** Two or three adjacent words written as one. With `isBeginning`, as the beginning of one: the last of them is unfinished. */
export type Join = { from: string[]; to: string; isBeginning: boolean };

const MAX_JOINS = 16;
/** Shorter beginnings are those of too many words. */
const MIN_JOINED_BEGINNING = 4;
const MAX_BESIDE_APOSTROPHE = 3;
const LETTERS_OR_DIGITS = /^[\p{L}\p{M}\p{Nd}]+$/u;

/** @returns the ways to join the words of a prompt, those of two words first */
export function joinsOf({ pairs, unfinished }: Prompt): Join[] {
  const triples = pairs.flatMap(([one, two]) => pairs.filter(([first]) => first === two).map(([, three]) => [one, two, three]));
  const joinable = [...pairs, ...triples].filter((words) => words.every((text) => LETTERS_OR_DIGITS.test(text)));
  const isUnfinished = (from: string[]): boolean => from.at(-1) === unfinished && from.join('').length >= MIN_JOINED_BEGINNING;
  const joins = joinable.flatMap((from) =>
    joinedForms(from).map((to, form) => ({ from, to, isBeginning: form === 0 && isUnfinished(from) })),
  );
  return joins.slice(0, MAX_JOINS);
}

/** "rock n roll" is also written "rock'n'roll", "aujourd hui" is "aujourd'hui", and "ww 2" is "wwii". */
function joinedForms(words: string[]): string[] {
  const hasApostrophes = words.length === 3 ? words[1] === 'n' : words.some((word) => word.length <= MAX_BESIDE_APOSTROPHE);
  const numerals = NUMBERS.get(words.at(-1) ?? '') ?? [];
  return [
    words.join(''),
    ...(hasApostrophes ? [words.join("'")] : []),
    ...numerals.map((numeral) => [...words.slice(0, -1), numeral].join('')),
  ];
}
