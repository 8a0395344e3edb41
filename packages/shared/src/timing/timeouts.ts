import { setTimeout as delay } from 'node:timers/promises';
import { readVariable } from '../environment/env-values.ts';

export const MAX_STORE_TIMEOUT_FACTOR = 100;

/**
 * A time limit of a request to a store or to the key server, of work that waits for some of them, such as a shutdown, or
 * of a lock or a transaction that is held meanwhile, in milliseconds. STORE_TIMEOUT_FACTOR multiplies all of them, for
 * stores that are far away or slow. It is read here and not passed on, because every connection needs it.
 */
export function storeTimeout(ms: number): number {
  return ms * Number(readVariable('STORE_TIMEOUT_FACTOR') ?? 1);
}

/**
 * @param maxMs whatever STORE_TIMEOUT_FACTOR is
 * @returns the value of the promise; undefined when it rejects or does not resolve within `storeTimeout(timeoutMs)`
 */
export async function withTimeout<T>(timeoutMs: number, promise: Promise<T>, maxMs = Infinity): Promise<T | undefined> {
  const done = new AbortController();
  const toUndefined = (): undefined => undefined;
  const timeout = delay(Math.min(storeTimeout(timeoutMs), maxMs), undefined, { signal: done.signal }).catch(toUndefined);
  try {
    return await Promise.race([promise.catch(toUndefined), timeout]);
  } finally {
    done.abort();
  }
}

/** @returns the value of the promise @throws the reason of the signal if it is aborted first */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
