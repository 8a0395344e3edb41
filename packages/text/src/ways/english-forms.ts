import { ENGLISH, listed, listedPairs } from '../languages/languages.ts';

type Pair = [one: string, other: string];

const ENDINGS = listed(
  's es ed d ing ings er ers y ies ier iest ful fully less able ably ist ists ish ism ite ites al ally hood hoods ly ery ous ously',
);

/** American words and their British spellings, with the same endings, and in both numbers. */
function inflect([one, other]: Pair): Pair[] {
  return [
    [one, other],
    [one, `${other}s`],
    [`${one}s`, other],
    ...ENDINGS.map((ending): Pair => [append(one, ending), append(other, ending)]),
  ];
}

function append(word: string, ending: string): string {
  return (word.endsWith('e') && /^[aeiouy]/.test(ending) ? word.slice(0, -1) : word) + ending;
}

/** "traveled" is also written "travelled". */
function double(word: string): Pair[] {
  return ENDINGS.filter((ending) => /^[aeiouy]/.test(ending)).map((ending): Pair => [word + ending, word + word.slice(-1) + ending]);
}

/** "wove" and "woven" are also written "weave", "weaves" and "weaving". */
function conjugate(forms: string[]): Pair[] {
  const [verb = '', ...past] = forms;
  const present = [verb, `${verb}s`, `${/(?:^|[^aeiou])[aeiou][bdgmnprt]$/.test(verb) ? verb + verb.slice(-1) : withoutE(verb)}ing`];
  const between = past.flatMap((one) => past.filter((other) => other > one).map((other): Pair => [one, other]));
  return [...past.flatMap((one) => present.map((other): Pair => [one, other])), ...between];
}

function withoutE(verb: string): string {
  return verb.replace(/ie$/, 'y').replace(/(?<=[^ey])e$/, '');
}

const FORMS = [
  ...listed(ENGLISH.irregularVerbs).flatMap((forms) => conjugate(forms.split('='))),
  ...listedPairs(ENGLISH.irregularForms),
  ...listedPairs(ENGLISH.otherSpellings).flatMap(inflect),
  ...listed(ENGLISH.doubledBeforeEnding).flatMap(double),
];

const OTHERS: ReadonlyMap<string, Set<string>> = new Map(
  [...Map.groupBy([...FORMS, ...FORMS.map(([one, other]): Pair => [other, one])], ([word]) => word)].map(([word, pairs]) => [
    word,
    new Set(pairs.map(([, form]) => form).filter((form) => form !== word)),
  ]),
);

const STEMS = listedPairs(ENGLISH.otherStems).flatMap(([one, other]): Pair[] => [
  [one, other],
  [other, one],
]);

/** @returns other forms of a word that its ending does not tell, and its other spellings: "mice" of "mouse", "pediatric" */
export function irregularForms(word: string): string[] {
  const byStem = STEMS.filter(([one]) => word.startsWith(one)).map(([one, other]) => other + word.slice(one.length));
  return [...(OTHERS.get(word) ?? []), ...byStem];
}

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

/** Of numbers from 20 to 90, the word by the first digit, and of those from 2 to 9 by the only one. */
const wordOf = (digits: string): string => NUMBERS.get(digits)?.at(-1) ?? '';
const TENS = new Map([2, 3, 4, 5, 6, 7, 8, 9].map((ten) => [wordOf(`${ten}0`), ten]));
const UNITS = new Map([['one', 1], ...[2, 3, 4, 5, 6, 7, 8, 9].map((unit) => [wordOf(`${unit}`), unit] as const)]);

/** @returns "fifty four" of "54"; undefined for another text */
export function spokenNumber(digits: string): string | undefined {
  const [, tens = '', units = ''] = /^([2-9])([1-9])$/.exec(digits) ?? [];
  const unit = [...UNITS].find(([, value]) => `${value}` === units)?.[0];
  return unit && `${wordOf(`${tens}0`)} ${unit}`;
}

/** @returns "54" of "fifty" and "four"; undefined for other words */
export function writtenNumber([tens = '', units = '']: string[]): string | undefined {
  const [ten, unit] = [TENS.get(tens), UNITS.get(units)];
  return ten === undefined || unit === undefined ? undefined : `${ten}${unit}`;
}
