/** @param share from 0 to 1 · @returns the value that this share of the values does not exceed; 0 of no values */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}
