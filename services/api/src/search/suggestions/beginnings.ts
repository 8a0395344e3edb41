import { LIVE } from '@ugc/shared/contracts/content-index';
import type { estypes } from '@elastic/elasticsearch';
import { continuedHangul } from '@ugc/text/words/hangul';
import type { Query, SearchBody } from '../session.ts';
import { anyOf } from '../text-fields.ts';
import { MAX_COMPLETIONS } from './suggestions.ts';

export const MOST_DOWNLOADED: estypes.SortCombinations[] = [{ downloadsCount: 'desc' }, { contentId: 'desc' }];

export function mostDownloaded(query: Query): SearchBody {
  const filter = [LIVE, query];
  return { query: { bool: { filter } }, sort: MOST_DOWNLOADED, size: 1, track_total_hits: false, _source: false };
}

/** @returns the query for what begins with a folded text, of which the last syllable of Hangul may be half typed */
export function beginningWith(field: string, folded: string): Query {
  const continued = continuedHangul(folded);
  if (continued.length === 0) return { prefix: { [field]: { value: folded } } };
  const after = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 1);
  return anyOf(
    continued.map(({ beginning, first, last }) => ({ range: { [field]: { gte: beginning + first, lt: beginning + after(last) } } })),
  );
}

/** @returns the first values with different keys, in order; no more than are shown */
export function distinctBy<T>(values: T[], keyOf: (value: T) => string): T[] {
  const distinct = new Map<string, T>();
  for (const value of values) {
    if (distinct.size === MAX_COMPLETIONS) break;
    const key = keyOf(value);
    if (!distinct.has(key)) distinct.set(key, value);
  }
  return [...distinct.values()];
}
