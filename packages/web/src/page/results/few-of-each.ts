const OF_CREATOR = 2;

/**
 * One account decides alone what is new, or changed last: it has two places, unless others leave theirs free.
 * @returns as many of the items, in their order
 */
export function fewOfEach<Item extends { creatorId: number }>(items: Item[], size: number): Item[] {
  const counts = new Map<number, number>();
  const [few, more]: [Item[], Item[]] = [[], []];
  for (const item of items) {
    const count = counts.get(item.creatorId) ?? 0;
    (count < OF_CREATOR ? few : more).push(item);
    counts.set(item.creatorId, count + 1);
  }
  const chosen = new Set([...few, ...more].slice(0, size));
  return items.filter((item) => chosen.has(item));
}
