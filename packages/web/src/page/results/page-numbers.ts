/**
 * The pages to link to: the first, the last, and those around the current one. All are zero-based.
 * @returns undefined stands for a gap
 */
export function pageNumbers(page: number, count: number): (number | undefined)[] {
  const shown = [...new Set([0, page - 1, page, page + 1, count - 1])].filter((number) => number >= 0 && number < count);
  shown.sort((a, b) => a - b);
  return shown.flatMap((number, position) => {
    const distance = number - (shown[position - 1] ?? number);
    if (distance === 2) return [number - 1, number];
    return distance > 2 ? [undefined, number] : [number];
  });
}
