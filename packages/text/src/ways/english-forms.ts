import { ENGLISH, listed, listedPairs } from '../languages/languages.ts';

type Pair = [string, string];
const inBothNumbers = ([one, other]: Pair): Pair[] =>
  [one, `${one}s`].flatMap((from) => [other, `${other}s`].map((to): Pair => [from, to]));
const FORMS = [...listedPairs(ENGLISH.irregularForms), ...listedPairs(ENGLISH.otherSpellings).flatMap(inBothNumbers)];

/** Other forms of a word. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string[]> = new Map(
  [...Map.groupBy([...FORMS, ...FORMS.map(([one, other]): Pair => [other, one])], ([word]) => word)].map(([word, pairs]) => [
    word,
    pairs.map(([, form]) => form),
  ]),
);

/**
 * The forms of a word that has the stem of words with another meaning, such as "news" and "new": it is found by these, not
 * by its stem. In a description the other words decide, and stems find more. Sources: the exceptions of Snowball's English
 * stemmer; Krovetz, "Viewing morphology as an inference process", SIGIR 1993.
 */
export const UNLIKE_FORMS: ReadonlyMap<string, string[]> = new Map(
  (ENGLISH.unlikeForms ?? [])
    .flat()
    .map((forms) => forms.split(', '))
    .flatMap((forms) => forms.map((form): [string, string[]] => [form, forms])),
);

/** The other ways to write a number, by each of them: in digits, in Roman numerals and in words. */
export const NUMBERS: ReadonlyMap<string, string[]> = new Map(
  listed(ENGLISH.numbers).flatMap((entry) => {
    const forms = entry.split('=');
    return forms.map((form): [string, string[]] => [form, forms.filter((other) => other !== form)]);
  }),
);
