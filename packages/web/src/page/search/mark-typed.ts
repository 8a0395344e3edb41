type Part = { text: string; isMarked: boolean };

/**
 * The parts of a suggestion, with what was typed marked: at the beginning of a word if it occurs there. If it does not occur
 * as a whole, each of its words is marked where a word begins with it. Letter case and accents do not count.
 * @example markTyped('Café at noon', 'cafe') → [{ text: 'Café', isMarked: true }, { text: ' at noon', isMarked: false }]
 */
export function markTyped(text: string, typed: string): Part[] {
  const characters = [...text];
  const folded = characters.map(fold);
  const whole = folded.join('');
  let length = 0;
  /** Where each character, and the end, is in the whole. */
  const places = [0, ...folded.map((part) => (length += part.length))];
  const wordStarts = characters.map((_, at) => at).filter((at) => !IN_WORD.test(characters[at - 1] ?? ''));
  const find = (wanted: string, starts: Iterable<number>): { from: number; to: number }[] => {
    for (const from of starts) {
      if (wanted === '' || !whole.startsWith(wanted, places[from])) continue;
      const end = (places[from] ?? 0) + wanted.length;
      let to = from;
      // The accents of the last letter belong to it.
      while (to < characters.length && ((places[to] ?? 0) < end || folded[to] === '')) to += 1;
      return [{ from, to }];
    }
    return [];
  };
  const words = fold(typed).trim().split(/\s+/);
  const together = find(words.join(' '), [...wordStarts, ...characters.keys()]);
  const marks = together.length > 0 ? together : words.flatMap((word) => find(word, wordStarts));
  return characters.reduce<Part[]>((parts, character, at) => {
    const isMarked = marks.some(({ from, to }) => from <= at && at < to);
    const last = parts.at(-1);
    if (last?.isMarked === isMarked) last.text += character;
    else parts.push({ text: character, isMarked });
    return parts;
  }, []);
}

const IN_WORD = /[\p{L}\p{M}\p{N}]/u;

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
