// Lucene's longest term has 32,766 bytes. The first 200 characters are enough to sort names.
const SORT_KEY_CHARACTERS = 200;

/**
 * Sorts folded texts without regard to the punctuation before the first letter or digit, and numbers by their value:
 * "Chapter 2" comes before "Chapter 10". A text without letters and digits sorts by its symbols.
 */
export function sortKey(text: string, { fold }: { fold: (text: string) => string }): string {
  const folded = fold(text).trim();
  const written = /[\p{L}\p{N}].*/su.exec(folded)?.[0] ?? folded;
  return shortened(written.replace(GROUPED, (number) => number.replaceAll(',', '')).replace(/\d+/g, byValue));
}

const GROUPED = /(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d)/g;

/** A number after the count of its digits, so that a longer number sorts after a shorter one: 12 and 210 for 2 and 10. */
function byValue(digits: string): string {
  const number = digits.replace(/^0+(?=\d)/, '');
  const more = number.length - 1;
  return `${'9'.repeat(Math.floor(more / 9))}${more % 9}${number}`;
}

function shortened(key: string): string {
  return [...key].slice(0, SORT_KEY_CHARACTERS).join('');
}
