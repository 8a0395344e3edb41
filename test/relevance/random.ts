/** @returns an integer from 0 to `values - 1` */
export type Random = (values: number) => number;

/** The generator mulberry32 by Tommy Ettinger: the same seed gives the same numbers on every platform. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return (values) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * values);
  };
}

/** Returns at most `count` of the items, in random order. */
export function sample<T>(items: T[], count: number, random: Random): T[] {
  const drawn = items.map((item) => ({ item, order: random(2 ** 32) })).toSorted((a, b) => a.order - b.order);
  return drawn.slice(0, count).map(({ item }) => item);
}

/** @returns a function that returns numbers from 0 to below 1 */
export function seededFractions(seed: number): () => number {
  const random = seededRandom(seed);
  return () => random(2 ** 32) / 2 ** 32;
}
