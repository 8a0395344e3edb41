/** What this tab remembers of a sign-in while the provider has the user. */
export type Pending = {
  state: string;
  nonce: string;
  verifier: string;
  /** The view to return to: query string and fragment of the page's address. */
  view: string;
  /** The state of the entry of the history to return to; null for a new entry. */
  entry: unknown;
  /** Whether the provider must not ask the user. */
  isSilent: boolean;
  /** When the page was left, in milliseconds since 1970. */
  leftMs: number;
};

/**
 * The response of the provider. `pending` is undefined unless this tab waits for a response with its `state`. `navigatedMs`:
 * when the navigation that has led here began, in milliseconds since 1970.
 */
export type Returned = { parameters: URLSearchParams; pending: Pending | undefined; navigatedMs: number };

const KEY = 'sign-in';
const RESPONSE = ['code', 'error', 'error_description', 'error_uri', 'iss', 'session_state', 'state'];

export function keepPending(pending: Pending): void {
  sessionStorage.setItem(KEY, JSON.stringify(pending));
}

/** Each is taken once, so that no response is used twice. */
export function takePending(): Pending | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

export function isResponse(parameters: URLSearchParams): boolean {
  return parameters.has('code') || parameters.has('error');
}

/** @param search a query string. @returns what is left of it without the parameters of a response */
export function withoutResponse(search: string): string {
  const parameters = new URLSearchParams(search);
  for (const name of RESPONSE) parameters.delete(name);
  return parameters.size === 0 ? '' : `?${parameters}`;
}
