/** Whether a word becomes another one by so few edits: a letter more, less or exchanged, or two neighbours swapped. */
export function isWithin(edits: number, word: string, other: string): boolean {
  const [from, to] = [[...word], [...other]];
  if (Math.abs(from.length - to.length) > edits) return false;
  const costs = [[...to.keys(), to.length]];
  const cost = (row: number, column: number): number => costs[row]?.[column] ?? Infinity;
  for (const [at, letter] of from.entries()) {
    const row = [at + 1];
    costs.push(row);
    for (const [column, compared] of to.entries()) {
      const isSwapped = letter === to[column - 1] && from[at - 1] === compared;
      const changed = cost(at, column) + Number(letter !== compared);
      const inserted = Math.min(cost(at, column + 1), cost(at + 1, column)) + 1;
      row.push(Math.min(changed, inserted, isSwapped ? cost(at - 1, column - 1) + 1 : Infinity));
    }
    if (Math.min(...row) > edits) return false;
  }
  return cost(from.length, to.length) <= edits;
}
