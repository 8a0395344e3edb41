import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition, looking again and again. Tests wait on what they need, never for a time; the limit only ends what hangs. */
export async function until(what: string, condition: () => Promise<boolean> | boolean, timeoutMs = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1_000} s in vain until ${what}`);
    await delay(25);
  }
}
