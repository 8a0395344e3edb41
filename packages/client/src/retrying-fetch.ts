export type RetryOptions = {
  fetch?: typeof globalThis.fetch;
  /** How often a request is repeated; 3 unless given. */
  maxRetries?: number;
  /** The longest wait, in seconds, without the quarter that is added; 60 unless given. A response with a longer `Retry-After` is not waited for. */
  maxWaitSeconds?: number;
};

/** The service, or a proxy before it, is unavailable: it is unknown whether the request had an effect. */
const UNAVAILABLE = [502, 503, 504];

/**
 * A `fetch` that repeats requests: after a 429, which means that nothing was done, and after a 502, 503, 504 or a lost
 * connection if the request has the same effect twice as once.
 */
export function retryingFetch({ fetch = globalThis.fetch, maxRetries = 3, maxWaitSeconds = 60 }: RetryOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    for (let tries = 1; ; tries += 1) {
      const isLast = tries > maxRetries;
      const response = await fetch(isLast ? request : request.clone()).catch((error: unknown) => {
        if (isLast || !isRepeatable(request)) throw noResponse(request, tries, error);
        return undefined;
      });
      if (response && (isLast || !mayRepeat(request, response, maxWaitSeconds))) return response;
      const seconds = response && retryAfterSeconds(response.headers);
      await response?.body?.cancel();
      await delay(secondsToWait(tries, seconds, maxWaitSeconds) * 1_000, request.signal);
    }
  };
}

function mayRepeat(request: Request, { status, headers }: Response, maxWaitSeconds: number): boolean {
  if ((retryAfterSeconds(headers) ?? 0) > maxWaitSeconds) return false;
  return status === 429 || (UNAVAILABLE.includes(status) && isRepeatable(request));
}

/** A second edit with `If-Match` would get a 412, and a second POST without a key would be a second upload. */
function isRepeatable({ method, headers, signal }: Request): boolean {
  return !signal.aborted && (method === 'POST' ? headers.has('Idempotency-Key') : !headers.has('If-Match'));
}

/** Reads `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). @returns undefined without a valid one */
export function retryAfterSeconds(responseHeaders: Headers): number | undefined {
  const header = responseHeaders.get('Retry-After') ?? '';
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.max(0, (Date.parse(header) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** `Retry-After` and up to a quarter more, or half to all of 1, 2, 4 … s, at most `maxSeconds`: so that not all clients come back at once. */
export function secondsToWait(tries: number, retryAfter: number | undefined, maxSeconds: number): number {
  if (retryAfter !== undefined) return retryAfter * (1 + Math.random() / 4);
  return Math.min(2 ** (tries - 1), maxSeconds) * (0.5 + Math.random() / 2);
}

/** What `fetch` says names neither the address nor the reason. An aborted request rejects with the reason of its signal. */
function noResponse({ method, url, signal }: Request, tries: number, error: unknown): unknown {
  if (signal.aborted) return error;
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  const reason = cause?.message || cause?.code || message;
  return new TypeError(`fetch failed: ${method} ${url}, ${tries} ${tries === 1 ? 'try' : 'tries'}: ${reason}`, { cause: error });
}

/** @throws the reason of the signal when it is aborted */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  // The signal may live much longer than this wait.
  const ended = new AbortController();
  await new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const options = { once: true, signal: ended.signal };
    signal?.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), options);
  }).finally(() => ended.abort());
}
