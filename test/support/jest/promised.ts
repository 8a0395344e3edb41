/** Of a promised time; the rest are the time limits of the service, which a slow machine keeps. */
const WORK_MS = 1_000;

/** @returns how long something may take with a fault, by how long it takes without one at about the same time */
export function promisedMs(promised: number, withoutFaultMs: number): number {
  return promised - WORK_MS + Math.max(WORK_MS, 3 * withoutFaultMs);
}

export async function msOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}
