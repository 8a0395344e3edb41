import { kindOf, repetitionOf, type Repetition } from './repetition.ts';

export type RetryOptions = {
  fetch?: typeof globalThis.fetch;
  /** How often a request is repeated. Unless given, only `maxTotalSeconds` limits it. */
  maxRetries?: number;
  /** The longest wait, in seconds, without the quarter that is added; 60 unless given. A response with a longer `Retry-After` is not waited for. */
  maxWaitSeconds?: number;
  /** For how long a request is repeated in all, in seconds; 300 unless given, or unlimited with `maxRetries`. */
  maxTotalSeconds?: number;
};

/** `onUnknown`: is told that an earlier try may have had an effect; with it, edits with `If-Match` are repeated too. */
export type Internals = { renewToken?: (() => Promise<string>) | undefined; onUnknown?: () => void };

const TOTAL_SECONDS = 300;

type Limits = { maxRetries: number; maxWaitSeconds: number; totalSeconds: number };

function limitsOf({ maxRetries, maxWaitSeconds = 60, maxTotalSeconds }: RetryOptions): Limits {
  const totalSeconds = maxTotalSeconds ?? (maxRetries === undefined ? TOTAL_SECONDS : Infinity);
  return { maxRetries: maxRetries ?? Infinity, maxWaitSeconds, totalSeconds };
}

/** A `fetch` that repeats requests, as `repetitionOf` decides. */
export function retryingFetch(options: RetryOptions, internals: Internals = {}): typeof globalThis.fetch {
  const { fetch = globalThis.fetch } = options;
  const limits = limitsOf(options);
  return async (input, init) => {
    const request = new Request(input, init);
    const begunAtMs = performance.now();
    for (let tries = 1; ; tries += 1) {
      const sent = await send(fetch, tries > limits.maxRetries ? request : request.clone());
      const waitSeconds = timeToWait(sent, tries, limits, (performance.now() - begunAtMs) / 1_000);
      const isRenewed = tries > 1 && waitSeconds < Infinity && (await renew(request, sent, internals));
      if (!isRenewed && !mayRepeat(request, sent, waitSeconds, internals)) return responseOf(request, sent, tries);
      if (sent.repetition === 'unknown') internals.onUnknown?.();
      await discard(sent);
      if (!isRenewed) await delay(waitSeconds * 1_000, request.signal);
    }
  };
}

async function discard({ response }: Sent): Promise<void> {
  await response?.body?.cancel();
}

/** @returns infinity if a limit permits no further try */
function timeToWait({ response }: Sent, tries: number, limits: Limits, passedSeconds: number): number {
  const retryAfter = response && retryAfterSeconds(response.headers);
  if (tries > limits.maxRetries || (retryAfter ?? 0) > limits.maxWaitSeconds) return Infinity;
  const seconds = secondsToWait(tries, retryAfter, limits.maxWaitSeconds);
  return passedSeconds + seconds > limits.totalSeconds ? Infinity : seconds;
}

/** @throws TypeError without a response */
function responseOf(request: Request, { response, error }: Sent, tries: number): Response {
  if (!response) throw noResponse(request, tries, error);
  return response;
}

type Sent = { response?: Response; kind: string; repetition: Repetition; error?: unknown };

async function send(fetch: typeof globalThis.fetch, request: Request): Promise<Sent> {
  try {
    const response = await readWhole(request, await fetch(request));
    const kind = response.ok ? '' : await kindOf(response);
    return { response, kind, repetition: repetitionOf(response.status, kind) };
  } catch (error) {
    return { kind: '', repetition: 'unknown', error };
  }
}

/** A connection that breaks off in the body of a page or a picture is lost as one before the response. */
async function readWhole(request: Request, response: Response): Promise<Response> {
  if (request.method !== 'GET' || response.status !== 200) return response;
  const { status, statusText, headers, url, redirected } = response;
  const whole = new Response(await response.arrayBuffer(), { status, statusText, headers });
  return Object.defineProperties(whole, { url: { value: url }, redirected: { value: redirected } });
}

/** A second edit with `If-Match` would get a 412, and a second POST without a key would be a second upload. */
function mayRepeat({ method, headers, signal }: Request, { repetition }: Sent, waitSeconds: number, { onUnknown }: Internals): boolean {
  if (signal.aborted || waitSeconds === Infinity || repetition === 'never') return false;
  if (repetition === 'safe') return true;
  return method === 'POST' ? headers.has('Idempotency-Key') : onUnknown !== undefined || !headers.has('If-Match');
}

/** An outage may last longer than a token. */
async function renew(request: Request, { kind }: Sent, { renewToken }: Internals): Promise<boolean> {
  if (kind !== 'token-expired' || !renewToken || request.signal.aborted) return false;
  const header = `Bearer ${await renewToken()}`;
  if (request.headers.get('Authorization') === header) return false;
  request.headers.set('Authorization', header);
  return true;
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
