/**
 * The parts of a suggestion, with what was typed marked: at the beginning of a word if it occurs there. Letter case and
 * accents do not count.
 * @example markTyped('Café at noon', 'cafe') → [{ text: 'Café', isMarked: true }, { text: ' at noon', isMarked: false }]
 */
export function markTyped(text: string, typed: string): { text: string; isMarked: boolean }[] {
  const characters = [...text];
  const folded = characters.map(fold);
  const whole = folded.join('');
  let length = 0;
  /** Where each character, and the end, is in the whole. */
  const places = [0, ...folded.map((part) => (length += part.length))];
  const wanted = fold(typed.trim()).replace(/\s+/g, ' ');
  const isAt = (at: number): boolean => whole.startsWith(wanted, places[at]);
  const starts = characters.map((_, at) => at).filter(isAt);
  const from = starts.find((start) => !IN_WORD.test(characters[start - 1] ?? '')) ?? starts[0];
  if (wanted === '' || from === undefined) return [{ text, isMarked: false }];
  const end = (places[from] ?? 0) + wanted.length;
  let to = from;
  // The accents of the last letter belong to it.
  while (to < characters.length && ((places[to] ?? 0) < end || folded[to] === '')) to += 1;
  return [
    { text: characters.slice(0, from).join(''), isMarked: false },
    { text: characters.slice(from, to).join(''), isMarked: true },
    { text: characters.slice(to).join(''), isMarked: false },
  ].filter((part) => part.text !== '');
}

const IN_WORD = /[\p{L}\p{M}\p{N}]/u;

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
