import { LANGUAGES, lettersOf, listed } from '../languages/languages.ts';

/** Of a language that writes compounds as one word. */
type Compounds = { language: string; letters: RegExp } & Record<
  'finals' | 'undivided' | 'short' | 'shortEnds' | 'not',
  ReadonlySet<string>
>;

const COMPOUNDS = LANGUAGES.flatMap((language): Compounds[] => {
  const { code, compounds } = language;
  if (!compounds) return [];
  const { finals, undivided, short, shortEnds, not } = compounds;
  const columns = { finals, undivided, short, shortEnds, not };
  const sets = Object.entries(columns).map(([name, words]) => [name, new Set(listed(words))] as const);
  return [{ language: code, letters: lettersOf(language), ...(Object.fromEntries(sets) as Record<keyof typeof columns, Set<string>>) }];
});

export const COMPOUNDING = COMPOUNDS.map(({ language }) => language);

/** Parts of three letters are listed: most are prefixes and endings, or no words, as in "Neurose". */
const SHORT_LENGTH = 3;
const MIN_LENGTH = 2 * SHORT_LENGTH;
const MAX_LENGTH = 48;
/** The shortest ones. */
const MAX_ENDS = 10;
const VOWEL = /[aeiouy]/;
const CONSONANTS = /[^aeiouy]*$/;
/** How words of these languages begin. */
const INITIAL =
  /^[a-z]?(?:[aeiouy]|(?<=b)[lrj]|(?<=c)[hlrs]|(?<=d)[rwz]|(?<=f)[jlr]|(?<=g)[jlnr]|(?<=h)[jv]|(?<=k)[jlnrv]|(?<=[lmn])j|(?<=p)[fhlnrsj]|(?<=s)[chjklmnptvwz]|(?<=t)[hjrsvw]|(?<=[vw])[lr]|(?<=z)[sw])/;

/**
 * @param word folded
 * @param languages of the item
 * @returns the ends that the word may have as a compound, such as "trikot" of "fussballtrikot". There is no dictionary: a
 *   first part ends as words of the language do
 */
export function compoundEnds(word: string, languages: readonly string[]): string[] {
  if (word.length > MAX_LENGTH) return [];
  const possible = COMPOUNDS.filter(({ language, letters }) => languages.includes(language) && letters.test(word));
  const lengths = Array.from({ length: word.length - MIN_LENGTH + 1 }, (_, n) => n + SHORT_LENGTH);
  const ends = lengths.filter((length) => possible.some((rules) => isCompound(rules, word.slice(0, -length), word.slice(-length))));
  return ends.slice(0, MAX_ENDS).map((length) => word.slice(-length));
}

function isCompound(rules: Compounds, first: string, end: string): boolean {
  return isFirst(first, rules) && isEnd(end, rules) && !rules.undivided.has(first.slice(-1) + end.slice(0, 1));
}

function isEnd(end: string, { not, shortEnds }: Compounds): boolean {
  return end.length === SHORT_LENGTH ? shortEnds.has(end) : VOWEL.test(end) && INITIAL.test(end) && !not.has(end);
}

function isFirst(first: string, { finals, short }: Compounds): boolean {
  if (first.length === SHORT_LENGTH && !short.has(first)) return false;
  const [consonants = ''] = CONSONANTS.exec(first) ?? [];
  if (consonants === first) return false;
  // Where the list has single consonants, no word ends in another one.
  return consonants === '' || finals.has(consonants) || (consonants.length === 1 && !finals.has('n'));
}
