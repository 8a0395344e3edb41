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
