import { errors, type estypes } from '@elastic/elasticsearch';

/** Why Elasticsearch did not do what it was asked to. */
export const REFUSAL_KINDS = ['no_answer', 'too_busy', 'block', 'forbidden', 'missing', 'unavailable', 'bad_request'] as const;
export type RefusalKind = (typeof REFUSAL_KINDS)[number];

/** The kind of a request that failed as a whole. */
export function refusalKind(error: Error): RefusalKind {
  if (!(error instanceof errors.ResponseError)) return 'no_answer';
  return kindOf(error.statusCode ?? 0, (error.body as { error?: { type?: string } } | undefined)?.error?.type);
}

/** The kinds among the items of a bulk response. An item at fault itself is rejected, not refused; a 409 is indexed already. */
export function refusalKindsOf(items: Partial<Record<string, estypes.BulkResponseItem>>[]): Set<RefusalKind> {
  const answers = items.flatMap((item) => Object.values(item)).filter((answer) => answer !== undefined);
  const refused = answers.filter(({ status }) => status >= 300 && status !== 409);
  const kinds = refused.map(({ status, error }) => kindOf(status, error?.type));
  return new Set(kinds.filter((kind) => kind !== 'bad_request'));
}

// A full disk is a block with 429, one by an operator a block with 403, and a closed index comes as a 400.
function kindOf(status: number, type = ''): RefusalKind {
  if (type === 'cluster_block_exception' || type === 'index_closed_exception') return 'block';
  if (status === 429) return 'too_busy';
  if (status === 401 || status === 403) return 'forbidden';
  if (status === 404) return 'missing';
  return status >= 500 ? 'unavailable' : 'bad_request';
}
