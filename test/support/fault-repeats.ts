/** How often a fault strikes that may hit another moment each time. */
export const FAULT_REPEATS = Number(process.env['FAULT_REPEATS'] ?? 3);

export function rounds(): number[] {
  return Array.from({ length: FAULT_REPEATS }, (_, round) => round);
}
