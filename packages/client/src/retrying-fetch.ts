export type RetryOptions = {
  fetch?: typeof globalThis.fetch;
  /** How often a request is repeated; 3 unless given. */
  maxRetries?: number;
  /** The longest `Retry-After` that is waited for, in seconds; 60 unless given. */
  maxWaitSeconds?: number;
};

/**
 * A `fetch` that repeats requests when `Retry-After` has passed: after a 429, which means that nothing was done, and
 * after a 503 or a lost connection if the request has the same effect twice as once.
 */
export function retryingFetch({ fetch = globalThis.fetch, maxRetries = 3, maxWaitSeconds = 60 }: RetryOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    for (let retry = 0; retry < maxRetries; retry += 1) {
      const response = await fetch(request.clone()).catch((error: unknown) => {
        if (!isRepeatable(request)) throw error;
      });
      const seconds = response ? secondsUntilRetry(request, response) : 2 ** retry;
      if (response && seconds > maxWaitSeconds) return response;
      await response?.body?.cancel();
      await delay(seconds * 1_000, request.signal);
    }
    return fetch(request);
  };
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). @returns Infinity for no retry */
function secondsUntilRetry(request: Request, { status, headers }: Response): number {
  const header = headers.get('Retry-After') ?? '';
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.max(0, (Date.parse(header) - Date.now()) / 1_000);
  return (status === 429 || (status === 503 && isRepeatable(request))) && !Number.isNaN(seconds) ? seconds : Infinity;
}

/** A second edit with `If-Match` would get a 412, and a second POST without a key would be a second upload. */
function isRepeatable({ method, headers, signal }: Request): boolean {
  return !signal.aborted && (method === 'POST' ? headers.has('Idempotency-Key') : !headers.has('If-Match'));
}

/** @throws the reason of the signal when it is aborted */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
  });
}
