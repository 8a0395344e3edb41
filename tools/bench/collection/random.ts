/** Numbers from 0 to 1, the same for the same seed (mulberry32). Seeds that follow each other give unlike numbers. */
export function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws one of the first `distinct` ranks. */
export type Draw = (random: () => number, distinct: number) => number;

/** @returns what draws a rank from 0 on: the probability of the n-th is proportional to 1 / n^exponent */
export function zipf(most: number, exponent: number): Draw {
  const cumulated = new Float64Array(most);
  let sum = 0;
  for (let rank = 0; rank < most; rank += 1) cumulated[rank] = sum += (rank + 1) ** -exponent;
  return (random, distinct) => {
    const drawn = random() * (cumulated[distinct - 1] ?? sum);
    let [low, high] = [0, distinct - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulated[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export type Lognormal = { median: number; sigma: number; max: number };

/** @returns a whole number */
export function lognormal(random: () => number, { median, sigma, max }: Lognormal): number {
  return Math.min(max, Math.round(median * Math.exp(sigma * normal(random))));
}

/** With mean 0 and deviation 1. */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function oneOf<T>(all: readonly T[], random: () => number): T {
  return all[Math.floor(all.length * random())] as T;
}
