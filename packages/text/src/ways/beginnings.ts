/** Shorter beginnings are those of too many words. Longer ones are corrected as words. */
const LENGTHS = { min: 4, max: 10 };
/** The letters of a script that are typed by mistake. */
const ALPHABETS = [/[a-z]/, /[а-я]/, /[α-ω]/].map((pattern) => ({ pattern, letters: lettersOf(pattern) }));

/** @returns the beginnings with one typing error less, and the same first letter unless the first two are transposed */
export function nearBeginnings(text: string): string[] {
  const letters = [...text];
  if (letters.length < LENGTHS.min || letters.length > LENGTHS.max) return [];
  const alphabet = ALPHABETS.find(({ pattern }) => pattern.test(letters[0] ?? ''))?.letters ?? [];
  const replace = (at: number, count: number, ...by: string[]): string => letters.toSpliced(at, count, ...by).join('');
  const positions = letters.map((_, at) => at);
  const transposed = positions.slice(0, -1).map((at) => replace(at, 2, letters[at + 1] ?? '', letters[at] ?? ''));
  // Whatever the last letter is, many words begin with those before it.
  const inner = positions.slice(1, -1);
  const changed = inner.flatMap((at) => [
    replace(at, 1),
    ...alphabet.flatMap((letter) => [replace(at, 1, letter), replace(at, 0, letter)]),
  ]);
  return [...new Set([...transposed, ...changed])].filter((beginning) => beginning !== text);
}

function lettersOf(pattern: RegExp): string[] {
  const codes = Array.from({ length: 0x500 }, (_, code) => String.fromCodePoint(code));
  return codes.filter((letter) => pattern.test(letter));
}

/** The least number of letters in which words with different endings agree. English words are corrected and stemmed. */
const MIN_COMMON = { latin: 6, other: 4 };
const IS_LATIN = /^\p{sc=Latin}/u;

/** @returns the word without its last one to three letters, as in languages that inflect: "рецептами" and "рецептов" */
export function withoutEndings(word: string): string[] {
  const least = MIN_COMMON[IS_LATIN.test(word) ? 'latin' : 'other'];
  const letters = [...word];
  const counts = [1, 2, 3].filter((count) => letters.length - count >= Math.max(least, 2 * count));
  return counts.map((count) => letters.slice(0, -count).join(''));
}
