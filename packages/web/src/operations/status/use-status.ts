import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { useEffect, useState } from 'preact/hooks';

const REFRESH_EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;

/** `previous` is the status before `status`, for rates. `failedAt`: the API has not responded since then. */
export type StatusView = {
  status?: OperationsStatus;
  previous?: OperationsStatus;
  failedAt?: Date;
};

/** Reads the status again and again while `isRefreshing` and the page is visible. */
export function useStatus(isRefreshing: boolean): StatusView {
  const [view, setView] = useState<StatusView>({});
  useEffect(() => (isRefreshing ? refresh(setView) : undefined), [isRefreshing]);
  return view;
}

type SetView = (change: (view: StatusView) => StatusView) => void;

/** @returns a function that ends it */
function refresh(setView: SetView): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  const stopped = new AbortController();
  const read = async (): Promise<void> => {
    clearTimeout(timer);
    if (document.hidden || isReading || stopped.signal.aborted) return;
    isReading = true;
    await readInto(setView, stopped.signal);
    isReading = false;
    timer = setTimeout(() => void read(), REFRESH_EVERY_MS);
  };
  document.addEventListener('visibilitychange', () => void read(), { signal: stopped.signal });
  void read();
  return () => {
    stopped.abort();
    clearTimeout(timer);
  };
}

async function readInto(setView: SetView, stopped: AbortSignal): Promise<void> {
  try {
    const status = await fetchStatus(AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]));
    setView(({ status: previous }) => ({ status, ...(previous && { previous }) }));
  } catch {
    if (!stopped.aborted) setView((view) => ({ ...view, failedAt: view.failedAt ?? new Date() }));
  }
}

async function fetchStatus(signal: AbortSignal): Promise<OperationsStatus> {
  const response = await fetch('./status', { signal });
  if (!response.ok) throw new Error(`the status is ${response.status}`);
  return (await response.json()) as OperationsStatus;
}
