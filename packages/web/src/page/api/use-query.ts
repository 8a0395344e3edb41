import { useEffect, useState } from 'preact/hooks';
import { createStore, useStore } from '../../shared/store.ts';
import { session } from '../token/session.ts';
import { outage, RequestFailed } from './request.ts';

const RETRY_AFTER_MS = 1_000;
const RETRY_AFTER_MAX_MS = 10_000;

/** Counts what this page has changed, so that everything that it shows is read again. */
const changes = createStore(0);
export const readAgain = (): void => changes.set(changes.get() + 1);
/** Differs for what is read again. */
export const reading = (): string => `${session.get().signIns} ${changes.get()}`;

/** Counts what must be read again because of another token. */
export const useSignIns = (): number => useStore(session).signIns;

export type Query<T> = {
  /** The newest data, which may be those of the key before; undefined after an error. */
  data: T | undefined;
  /** Why there are no data of this key; undefined while it is tried again. */
  error: RequestFailed | undefined;
  isLoading: boolean;
};

/** Reads when `key` changes, and again while the service does not respond. Cancels reads that nobody waits for. */
export function useQuery<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Query<T> {
  const [query, setQuery] = useState<Query<T> & { key: string }>({ key, data: undefined, error: undefined, isLoading: true });
  const signIns = useSignIns();
  const count = useStore(changes);
  useEffect(() => {
    setQuery(({ data }) => ({ key, data, error: undefined, isLoading: true }));
    return repeatUntilRead(read, {
      onData: (data) => setQuery({ key, data, error: undefined, isLoading: false }),
      onError: (error) => setQuery({ key, data: undefined, error, isLoading: false }),
    });
  }, [key, signIns, count]);
  // The effect runs after the page was painted with the new key.
  return query.key === key ? query : { data: query.data, error: undefined, isLoading: true };
}

type Outcome<T> = {
  onData: (data: T) => void;
  onError: (error: RequestFailed) => void;
  /** Called with the reason before it is tried again. Undefined: the page says it. */
  onRetry?: (reason: string) => void;
};

/** Reads until it succeeds or cannot succeed. @returns a function that cancels it */
export function repeatUntilRead<T>(
  read: (signal: AbortSignal) => Promise<T>,
  { onData, onError, onRetry = outage.set }: Outcome<T>,
): () => void {
  const controller = new AbortController();
  let timer = 0;
  const attempt = (failures: number): void => {
    read(controller.signal).then(onData, (error: unknown) => {
      if (controller.signal.aborted) return;
      if (!(error instanceof RequestFailed)) throw error;
      if (!error.isTemporary) return onError(error);
      onRetry(error.message);
      timer = setTimeout(() => attempt(failures + 1), Math.min(RETRY_AFTER_MS * 2 ** failures, RETRY_AFTER_MAX_MS));
    });
  };
  attempt(0);
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}
