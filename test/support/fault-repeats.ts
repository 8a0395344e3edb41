/** How often a fault is repeated that can hit a different moment each time. */
export const FAULT_REPEATS = Number(process.env['FAULT_REPEATS'] ?? 3);

export function rounds(): number[] {
  return Array.from({ length: FAULT_REPEATS }, (_, round) => round);
}
