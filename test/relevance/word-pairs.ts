import { LANGUAGES, listed } from '@ugc/text/languages/languages';

type Form = { word: string; title: string };

const EXAMPLES = LANGUAGES.flatMap(({ examples = [] }) => examples);

/** The languages with examples, by name. */
export const EXAMPLE_LANGUAGES = EXAMPLES.map(({ of }) => of);

/** @returns pairs of two forms of a word, each with a title of three to six words that contains it */
export function pairsOf(language: string): [Form, Form][] {
  return EXAMPLES.filter(({ of }) => of === language).flatMap(({ ends, pairs }) =>
    textsOf(pairs).map((pair, n) => toForms(pair.split(' '), textsOf(ends).at(n % textsOf(ends).length))),
  );
}

/** @returns pairs of words of a language that look alike and mean different things */
export function differentWords(): [Form, Form][] {
  return LANGUAGES.flatMap(({ different, examples = [] }) =>
    listed(different).map((words) => toForms(words.split('/'), textsOf(examples[0]?.ends ?? [])[0])),
  );
}

function toForms(words: string[], end = ''): [Form, Form] {
  return words.map((word) => ({ word, title: `${word.slice(0, 1).toUpperCase()}${word.slice(1)} ${end}` })) as [Form, Form];
}

function textsOf(lines: string[]): string[] {
  return lines.join(' ').split(', ');
}
