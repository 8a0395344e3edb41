import { setTimeout as delay } from 'node:timers/promises';

/** @returns undefined when the question fails, or is not answered in time */
export async function withTimeout<T>(timeoutMs: number, question: Promise<T>): Promise<T | undefined> {
  const answered = new AbortController();
  const nothing = (): undefined => undefined;
  const tooLate = delay(timeoutMs, undefined, { signal: answered.signal }).catch(nothing);
  try {
    return await Promise.race([question.catch(nothing), tooLate]);
  } finally {
    answered.abort();
  }
}
