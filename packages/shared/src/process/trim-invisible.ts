/** Blanks, line ends, control characters, and format characters such as a byte order mark or a zero-width space. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Cf}]$/u;

/** Removes invisible characters at both ends. A loop, because a pattern is quadratic for long runs inside. */
export function trimInvisible(text: string): string {
  const characters = [...text];
  const first = characters.findIndex((character) => !INVISIBLE.test(character));
  const last = characters.findLastIndex((character) => !INVISIBLE.test(character));
  return first === -1 ? '' : characters.slice(first, last + 1).join('');
}
