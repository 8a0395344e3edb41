/** @returns the first text with each key, in order */
export function distinctBy(texts: string[], keyOf: (text: string) => string): string[] {
  return [...Map.groupBy(texts, keyOf).values()].flatMap((same) => same.slice(0, 1));
}
