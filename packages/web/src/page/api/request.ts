import { createStore } from '../../shared/store.ts';
import { refuseToken, session } from '../token/session.ts';
import { renewToken } from '../token/sign-in.ts';
import type { ErrorDetail, Problem } from './types.ts';
import { loadLaterTexts, t } from '../../messages/texts.ts';

export type Request = {
  /** Undefined: GET. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the page. */
  path: string;
  headers?: Record<string, string>;
  body?: object;
  signal?: AbortSignal | undefined;
  responseType?: 'json' | 'blob';
  /** Called with the share of the body that is sent, 0 to 1. */
  onProgress?: (share: number) => void;
  /** The token instead of that of the session. */
  token?: string | undefined;
};
export type Response<T> = { body: T; header(name: string): string };

type Reason = Pick<Problem, 'detail' | 'errors'> & { type?: string };

/** The kinds of the service's problems. */
const KINDS = '/docs#';

/** An error response. `status` is 0 if there was no response. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly status: number;
  readonly type: string;
  readonly errors: ErrorDetail[];

  constructor(status: number, { type = '', detail, errors = [] }: Reason) {
    super(detail);
    this.status = status;
    this.type = type;
    this.errors = errors;
  }

  /** Whether the same request may succeed shortly. A rebuild of the index takes longer, and others are answered meanwhile. */
  get isTemporary(): boolean {
    if (this.type === `${KINDS}rebuild-due`) return false;
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Why reads that are repeated fail at present; undefined while reads succeed. */
export const outage = createStore<string | undefined>(undefined);

/** How long nothing may arrive, in either direction. A whole request has no limit: a slow network takes long for what is large. */
const READ_SILENCE_MS = 15_000;
const WRITE_SILENCE_MS = 120_000;

/** @throws RequestFailed · DOMException AbortError when `signal` aborts */
export async function send<T = undefined>(request: Request): Promise<Response<T>> {
  const xhr = await exchangeAsUser(request);
  if (xhr.status >= 200 && xhr.status < 300) {
    if (!request.method) outage.set(undefined);
    return { body: xhr.response as T, header: (name) => xhr.getResponseHeader(name) ?? '' };
  }
  throw new RequestFailed(xhr.status, await problemOf(xhr));
}

/** A request that is refused because of its token is sent again if there is a newer one. */
async function exchangeAsUser(request: Request): Promise<XMLHttpRequest> {
  await renewToken();
  const { token = session.get().token } = request;
  const xhr = await exchange(request, token);
  if (xhr.status !== 403 || !(await problemOf(xhr)).type.startsWith(`${KINDS}token-`)) return xhr;
  if (await renewToken(token)) return exchange(request, session.get().token);
  refuseToken(token);
  return xhr;
}

// fetch does not report the progress of a request body.
function exchange(request: Request, token: string | undefined): Promise<XMLHttpRequest> {
  const { method = 'GET', path, body, signal, responseType = 'json', onProgress } = request;
  // It may have been cancelled while the token was renewed.
  signal?.throwIfAborted();
  const xhr = new XMLHttpRequest();
  xhr.open(method, path);
  xhr.responseType = responseType;
  for (const [name, value] of Object.entries(headersOf(request, token))) xhr.setRequestHeader(name, value);
  let timer = 0;
  const hear = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => xhr.abort(), request.method ? WRITE_SILENCE_MS : READ_SILENCE_MS);
  };
  xhr.onprogress = hear;
  xhr.upload.onprogress = ({ loaded, total }) => {
    hear();
    onProgress?.(loaded / total);
  };
  hear();
  return new Promise((resolve, reject) => {
    xhr.onloadend = () => {
      clearTimeout(timer);
      resolve(xhr);
    };
    signal?.addEventListener('abort', () => {
      reject(new DOMException('aborted', 'AbortError'));
      xhr.abort();
    });
    xhr.send(body && JSON.stringify(body));
  });
}

export function headersOf({ headers, body }: Request, token: string | undefined): Record<string, string> {
  return {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body && { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

/** Says the problem in the language of the page, or as the service does if that cannot be loaded. */
async function inOwnWords(problem: Problem): Promise<Problem> {
  try {
    const [{ saidProblem }] = await Promise.all([import('./said-problem.ts'), loadLaterTexts()]);
    return { ...problem, detail: saidProblem(problem) };
  } catch {
    return problem;
  }
}

/** What is between the service and the page has errors of its own, in other forms. */
export async function problemOf({ status, response }: { status: number; response: unknown }): Promise<Reason & { type: string }> {
  const body: unknown = response instanceof Blob ? await new Response(response).json().catch(() => null) : response;
  const problem = body as Problem | null;
  if (String(problem?.type).startsWith(KINDS)) return inOwnWords(problem as Problem);
  return { type: '', detail: status === 0 ? t('noResponse') : t('responded', { status: String(status) }) };
}
