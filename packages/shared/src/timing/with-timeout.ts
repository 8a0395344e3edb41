import { setTimeout as delay } from 'node:timers/promises';
import { storeTimeout } from './store-timeout.ts';

/** @returns the value of the promise; undefined when it rejects or does not resolve within `storeTimeout(timeoutMs)` */
export async function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const toUndefined = (): undefined => undefined;
  const timeout = delay(storeTimeout(timeoutMs), undefined, { signal: done.signal }).catch(toUndefined);
  try {
    return await Promise.race([promise.catch(toUndefined), timeout]);
  } finally {
    done.abort();
  }
}
