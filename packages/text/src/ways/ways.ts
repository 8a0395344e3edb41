import { LANGUAGES, lettersOf, listed, type Language } from '../languages/languages.ts';
import { withElisions, withEqualLetters, withOtherNasals, withOtherParticles, withPrefixes } from './affixes.ts';
import { irregularForms, NUMBERS, spokenNumber } from './english-forms.ts';
import { chineseForms, kanaForms } from './japanese-and-chinese.ts';
import { inOtherLayouts } from './other-scripts.ts';
import type { TextRules } from '../rules/text-rules.ts';
import { compoundSplits, spelledOut, splitsOf } from './parts.ts';
import { plainTerms } from '../words/literals.ts';
import type { Word } from '../words/word.ts';

/** The unit is a UTF-16 code unit. */
const MAX_LENGTH = 24;

/**
 * @param rules of the index that is searched
 * @returns other ways to write a word, as terms that follow each other. Whichever an item contains is found too.
 */
export function waysOf({ kind, text }: Word, { separate }: Pick<TextRules, 'separate'>): string[] {
  if (text.length > MAX_LENGTH) return [];
  const withX = text.replaceAll(TIMES, 'x');
  const [typed, terms] = [plainTerms(text, separate), plainTerms(withX, separate)];
  const joined = isOneNumberOrNone(text) ? terms.replaceAll(' ', '') : terms;
  const ways = WAYS.filter(({ of, kinds }) => (kinds ?? ['word', 'literal']).includes(kind) && of.test(joined));
  const written = [
    ...[withX, text.replaceAll(TIMES, CYRILLIC_X)].filter((form) => form !== text),
    ...(kind === 'literal' && joined !== terms ? [joined] : []),
    ...(kind === 'literal' ? inOtherLayouts(text) : []),
    ...versionsOf(text, terms),
    ...ways.flatMap(({ write }) => write(joined, terms)),
  ];
  return [...new Set(written.map(separate))].filter((form) => form !== typed && form !== '');
}

const NUMBERED = /^(?<name>[a-z]+?)(?<number>\d{1,2}|iii?|i[vx]|vi{1,3})$/;
/** "10×20" is also written "10x20", in Russian with the Cyrillic letter. */
const TIMES = /(?<=\d)[×xх](?=\d)/g;
const CYRILLIC_X = 'х';
/** "1.5", "3/4" and "8:30" are no numbers without their sign, unlike "20,000" and "555-1234". */
const SEVERAL_NUMBERS = /\p{Nd}[^\p{L}\p{M}\p{Nd}\-]\p{Nd}/u;
const THOUSANDS = /^\P{Nd}*\d{1,3}(?:[.,]\d{3})+\P{Nd}*$/u;
const isOneNumberOrNone = (text: string): boolean => !SEVERAL_NUMBERS.test(text) || THOUSANDS.test(text);
const VERSION = /^v?\d+(?:\.\d+)+(?:-[a-z\d.]+)?$/;

function versionsOf(text: string, terms: string): string[] {
  return VERSION.test(text) ? [terms.startsWith('v') ? terms.slice(1) : `v${terms}`] : [];
}

/** How words of some characters are written too. `joined` is the word without its inner symbols, `terms` are its terms. */
type Way = { of: RegExp; kinds?: Word['kind'][]; write: (joined: string, terms: string) => string[] };

/** The least number of letters, without which most words would have a prefix. */
const MIN_WITH_PREFIX = 3;

const BRITISH_OR_AMERICAN = /i([sz])(e[drs]?|ers|ing|ations?)$/;

const WAYS: Way[] = [
  { of: /^[\p{L}\p{M}]+$/u, write: (word) => [...compoundSplits(word), ...spelledOut(word)] },
  { of: /^[a-z]{6,}s$/, write: (plural) => compoundSplits(plural.slice(0, -1)) },
  { of: /\p{L}\p{M}*\p{Nd}|\p{Nd}\p{L}/u, write: (_, terms) => separatedDigits(terms) },
  // "10×20" has two terms.
  { of: /\dx\d/, write: (word) => separatedDigits(word.replaceAll(/(?<=\d)x(?=\d)/g, ' ')) },
  { of: /^\d{4,}$/, write: groupedDigits },
  { of: /^\d+\p{L}{1,4}$/u, write: measures },
  { of: /^[aeiouyh]\p{L}{2,}$/u, write: withElisions },
  { of: /'/, write: (word) => [word.replaceAll("'", '')] },
  { of: /^[a-z]+nt$/, write: (word) => [`${word.slice(0, -1)}'t`] },
  { of: /^[dlo][a-z]{4,}$/, write: (word) => [`${word.slice(0, 1)}'${word.slice(1)}`] },
  { of: NUMBERED, write: numberedForms },
  { of: /^(?:\d{1,2}(?:st|nd|rd|th)?|[a-z]{2,8}|[vx])$/, write: (word) => NUMBERS.get(word) ?? [] },
  // The terms of "R&B" are two.
  { of: /^[a-z]n[a-z]$/, write: (initials) => [initials.split('n').join(' ')] },
  { of: /^[a-z]+$/, write: irregularForms },
  { of: /^\d\d$/, write: (number) => [spokenNumber(number) ?? []].flat() },
  // The stemmer gives "lens" and "lenses", or "virus" and "viruses", different stems.
  { of: /[a-z]{2}s$/, write: (word) => [`${word}es`, ...(word.endsWith('ses') ? [word.slice(0, -2)] : [])] },
  {
    of: BRITISH_OR_AMERICAN,
    write: (word) => [word.replace(BRITISH_OR_AMERICAN, (_, letter, ending) => `i${letter === 's' ? 'z' : 's'}${ending}`)],
  },
  ...LANGUAGES.filter(({ prefixes }) => prefixes).map((language) => withPrefixesOf(language)),
  { of: /^\p{sc=Hangul}+$/u, write: withOtherParticles },
  // The mark of an abbreviation stands before its last letter, and other signs than the right ones separate it: דו”ח, דו''ח.
  { of: /^\p{sc=Hebrew}{2,6}$/u, write: (word) => [' ', "' "].map((sign) => `${word.slice(0, -1)}${sign}${word.slice(-1)}`) },
  { of: /[ৎൺ-ൿ]|\p{M}$/u, write: withEqualLetters },
  { of: /[\u0902\u094d\u0982\u09cd\u0a82\u0acd]/, write: withOtherNasals },
  { of: /^[\p{sc=Hiragana}\p{sc=Katakana}ー]+$/u, kinds: ['run'], write: kanaForms },
  { of: /\p{sc=Han}/u, kinds: ['run'], write: chineseForms },
];

function withPrefixesOf(language: Language): Way {
  const prefixes = listed(language.prefixes);
  return { of: lettersOf(language, MIN_WITH_PREFIX), write: (word) => withPrefixes(word, prefixes) };
}

const MAX_BOUNDARIES = 3;
const BOUNDARY = /(?=\p{Nd})(?<=\p{L}\p{M}*)|(?<=\p{Nd})(?=\p{L})/gu;

/** All combinations of separated and joined letters and digits: "r2d2", "r2 d2", "r 2 d 2" … Two numbers stay apart. */
function separatedDigits(terms: string): string[] {
  const parts = terms.replaceAll(BOUNDARY, ' ').split(/(?<!\p{Nd}) | (?!\p{Nd})/u);
  if (parts.length - 1 > MAX_BOUNDARIES) return [parts.join(' ')];
  return Array.from({ length: 2 ** (parts.length - 1) }, (_, bits) =>
    parts.reduce((text, part, at) => `${text}${at === 0 || (bits >> (at - 1)) % 2 === 1 ? '' : ' '}${part}`, ''),
  );
}

/** "ww2" is also written "wwii", and "gtaiv" is "gta 4". */
function numberedForms(text: string): string[] {
  const { name = '', number = '' } = NUMBERED.exec(text)?.groups ?? {};
  return [number, ...(NUMBERS.get(number) ?? [])].flatMap((written) => [`${name}${written}`, `${name} ${written}`]);
}

/** The terms of "20,000" are two, "1'500" is one. */
function groupedDigits(digits: string): string[] {
  return [' ', "'"].map((separator) => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, separator));
}

/** "20000mah" is also written "20,000 mAh", and "50kmh" is "50 km/h". */
function measures(measure: string): string[] {
  const [number = '', unit = ''] = measure.split(/(?<=\d)(?=\D)/);
  return [...groupedMeasures(number, unit), ...splitsOf(unit).map((parts) => `${number} ${parts}`)];
}

export function groupedMeasures(number: string, unit: string): string[] {
  return number.length < 4 ? [] : groupedDigits(number).flatMap((digits) => [`${digits}${unit}`, `${digits} ${unit}`]);
}
