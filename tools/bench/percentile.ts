/** @param share from 0 to 1, for example 0.99 for p99 · @returns 0 for an empty array */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

export function median(values: number[]): number {
  return percentile(values, 0.5);
}
