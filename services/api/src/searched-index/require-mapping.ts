import { Problem } from '../http/problem.ts';
import type { SearchedIndex } from './searched-index.ts';

const RETRY_AFTER_SECONDS = '60';

/**
 * For what an index of an older release does not support. @param what for example `Suggestions`
 * @throws Problem 503 if the mapping of the index is older than `version`
 */
export function requireMapping({ mappingVersion }: SearchedIndex, version: number, what: string): void {
  if (mappingVersion < version) throw outdatedIndex(what);
}

export function outdatedIndex(what: string): Problem {
  const detail = `${what} need a search index of the current release: index:rebuild is due.`;
  return new Problem(503, detail, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } });
}
