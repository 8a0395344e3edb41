import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 250;

/**
 * Polls a condition until it is true, with pauses of at most a fifth of the time that it has waited.
 * @throws after the timeout, which is only meant to end a test that hangs
 */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 300_000,
  everyMs?: number,
): Promise<void> {
  const startedAt = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`timed out after ${timeoutMs / 1_000} s waiting until ${what}`);
    await delay(everyMs ?? Math.min(Math.max(waitedMs / 5, FIRST_PAUSE_MS), MAX_PAUSE_MS));
  }
}
