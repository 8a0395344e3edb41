import { describe, expect, it } from '@jest/globals';
import { isFullyTested } from '../../run/fully-tested.ts';

// What only `npx pnpm test:all` runs, and `.ci/run` after a change that can break it. Every promise has a test beside it
// that always runs.

const isFull = isFullyTested(expect.getState().testPath ?? '');

/** Tests that take long: `long.it`, `long.describe`. */
export const long = { it: isFull ? it : it.skip, describe: isFull ? describe : describe.skip };

/** The number of runs of a property or of a repetition: `few`, or `many` with the long tests. */
export function runs(few: number, many: number): number {
  return isFull ? many : few;
}

/** The rows of a table of tests: the first `few`, or all with the long tests. */
export function rows<T>(few: number, all: readonly T[]): T[] {
  return isFull ? [...all] : all.slice(0, few);
}

/** How often a fault is repeated that can hit a different moment each time. */
const FAULT_REPEATS = Number(process.env['FAULT_REPEATS'] ?? runs(1, 3));

export function rounds(): number[] {
  return Array.from({ length: FAULT_REPEATS }, (_, round) => round);
}
