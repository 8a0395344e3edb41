import { runs } from './long.ts';

/** How often a fault is repeated that can hit a different moment each time. */
const FAULT_REPEATS = Number(process.env['FAULT_REPEATS'] ?? runs(1, 3));

export function rounds(): number[] {
  return Array.from({ length: FAULT_REPEATS }, (_, round) => round);
}
