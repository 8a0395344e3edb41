import type { Log } from '@ugc/shared/process/log';
import { throttle } from '@ugc/shared/timing/throttle';
import { withTimeout } from '@ugc/shared/timing/with-timeout';
import type { Part } from '@ugc/shared/contracts/operations-status';

export type Store = 'PostgreSQL' | 'Redis' | 'Elasticsearch';
/** Reads a part of the status; never rejects, and takes at most READ_TIMEOUT_MS. */
export type ReadPart = <T>(store: Store, read: () => Promise<T>) => Promise<Part<T>>;

const READ_TIMEOUT_MS = 2_000;
const LOG_EVERY_MS = 10_000;

/** The log has the causes, since a page that refreshes itself must not show internals. */
export function createReadPart(log: Log): ReadPart {
  const warn = throttle(LOG_EVERY_MS, (err: unknown) => log.warn({ err }, 'a part of the operations status could not be read'));
  return async (store, read) => {
    const reading = read();
    reading.catch(warn);
    const value = await withTimeout(READ_TIMEOUT_MS, reading);
    return value === undefined ? { problem: problemOf(store) } : { value };
  };
}

function problemOf(store: Store): string {
  return `${store} did not return it within ${READ_TIMEOUT_MS / 1_000} s.`;
}
