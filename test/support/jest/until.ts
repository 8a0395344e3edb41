import { setTimeout as delay } from 'node:timers/promises';

/** Polls a condition until it is true. @throws after the timeout, which is only meant to end a test that hangs */
export async function until(what: string, condition: () => Promise<boolean> | boolean, timeoutMs = 300_000, everyMs = 25): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`timed out after ${timeoutMs / 1_000} s waiting until ${what}`);
    await delay(everyMs);
  }
}
