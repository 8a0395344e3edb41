import type { Part } from '../contracts/operations-status.ts';
import { storeTimeout, withTimeout } from '../timing/timeouts.ts';

type Store = 'PostgreSQL' | 'Redis' | 'Elasticsearch';
/** Receives the causes: a page that refreshes itself must not show internals. */
export type OnError = (error: unknown) => void;

const READ_TIMEOUT_MS = 2_000;

/** Waits for a part of the status that `store` returns. Never rejects, and takes at most `storeTimeout(READ_TIMEOUT_MS)`. */
export async function readPart<T>(store: Store, reading: Promise<T>, onError: OnError): Promise<Part<T>> {
  let problem = `${store} did not return it within ${storeTimeout(READ_TIMEOUT_MS) / 1_000} s.`;
  reading.catch((error: unknown) => {
    problem = `${store} did not return it: the log has the error.`;
    onError(error);
  });
  const value = await withTimeout(READ_TIMEOUT_MS, reading);
  return value === undefined ? { problem } : { value };
}
