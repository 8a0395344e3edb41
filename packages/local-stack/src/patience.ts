import { setTimeout as sleep } from 'node:timers/promises';

/** `checks`: without progress in so many checks in a row, the wait ends. */
export type Patience = { everyMs: number; checks: number };

/** What grows while a process works: the bytes that it has written, and its processor time. */
export type Work = { bytes: number; processorSeconds: number };

export type Waiting = {
  patience?: Patience | undefined;
  work(): Work;
  /** Called every ten checks. */
  say(waitedMs: number): void;
  /** The failure after a wait without progress. */
  giveUp(quietMs: number): Error;
};

export const PATIENCE: Patience = { everyMs: 1_000, checks: 60 };
const SAY_EVERY_CHECKS = 10;
/** Of one processor. An idle Java process uses less. */
const LEAST_SHARE = 0.02;

/**
 * Waits for the promise as long as the work makes progress, however long that is. Checks are counted instead of time, so
 * that a machine that was suspended does not end the wait.
 */
export async function patiently<T>(promise: Promise<T>, waiting: Waiting): Promise<T> {
  const done = new AbortController();
  const watch = watchProgress(waiting, done.signal);
  try {
    return await Promise.race([promise, watch]);
  } finally {
    done.abort();
  }
}

/** Never resolves. @throws when there is no progress */
async function watchProgress({ patience = PATIENCE, work, say, giveUp }: Waiting, signal: AbortSignal): Promise<never> {
  const { everyMs, checks } = patience;
  const leastSeconds = (LEAST_SHARE * everyMs * checks) / 1_000;
  let last = work();
  let quiet = 0;
  for (let check = 1; ; check++) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return new Promise<never>(() => undefined);
    const now = work();
    const isProgress = now.bytes !== last.bytes || now.processorSeconds - last.processorSeconds >= leastSeconds;
    if (isProgress) last = now;
    quiet = isProgress ? 0 : quiet + 1;
    if (quiet >= checks) throw giveUp(quiet * everyMs);
    if (check % SAY_EVERY_CHECKS === 0) say(check * everyMs);
  }
}

export function inSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
