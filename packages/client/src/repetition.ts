/** What a response, or a connection that is lost before one, says about repeating the request. */
export type Repetition =
  /** Nothing was done: any request may be repeated. */
  | 'safe'
  /** It is unknown whether something was done: a request may be repeated that has the same effect twice as once. */
  | 'unknown'
  /** The same request would fail again, or somebody has to decide. */
  | 'never';

/** By kind of error, for those that are not as their status. A test compares them with the kinds of the service. */
const BY_KIND: Record<string, Repetition> = {
  'store-unavailable': 'safe',
  'keys-unavailable': 'safe',
  overloaded: 'safe',
  'work-too-long': 'safe',
  'result-unknown': 'unknown',
  // Until an operator has rebuilt the index.
  'rebuild-due': 'never',
  'upgrade-unfinished': 'never',
};

/** @param kind that of the problem; empty for a response without problem details, such as that of a proxy */
export function repetitionOf(status: number, kind: string): Repetition {
  if (status === 429) return 'safe';
  if (status < 500) return 'never';
  return BY_KIND[kind] ?? ([502, 503, 504].includes(status) ? 'unknown' : 'never');
}

/** The kind of a problem, such as `store-unavailable`. The response can still be read afterwards. */
export async function kindOf(response: Response): Promise<string> {
  if (!response.headers.get('Content-Type')?.startsWith('application/problem+json')) return '';
  const body: unknown = await response.clone().json().catch(() => undefined); // prettier-ignore
  const { type } = (body ?? {}) as { type?: unknown };
  return (typeof type === 'string' && type.split('#')[1]) || '';
}
