/**
 * The parts of a suggestion, with what was typed marked: at the beginning of a word if it occurs there. Letter case and
 * accents do not count.
 * @example markTyped('Café at noon', 'cafe') → [{ text: 'Café', isMarked: true }, { text: ' at noon', isMarked: false }]
 */
export function markTyped(text: string, typed: string): { text: string; isMarked: boolean }[] {
  const characters = [...text];
  const folded = characters.map(fold);
  const wanted = fold(typed.trim()).replace(/\s+/g, ' ');
  const starts = characters.flatMap((_, from) => (folded.slice(from).join('').startsWith(wanted) ? [from] : []));
  const from = starts.find((start) => !IN_WORD.test(characters[start - 1] ?? '')) ?? starts[0];
  if (wanted === '' || from === undefined) return [{ text, isMarked: false }];
  let to = from;
  while (to < characters.length && folded.slice(from, to).join('').length < wanted.length) to += 1;
  // The accents of the last letter belong to it.
  while (to < characters.length && folded[to] === '') to += 1;
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
