import type { estypes } from '@elastic/elasticsearch';
import { nameKey } from '@ugc/shared/search-text/name-key';
import { tagOfKey } from '@ugc/shared/search-text/tag-key';
import type { MultiSearchItem } from '../searched-index/multi-search.ts';
import { distinctBy } from './distinct-by.ts';

/** Counting the tags of all items takes 50 ms for a common beginning in a million items, and of these 11 ms. */
const COUNTED_ITEMS = 100;

/** Searches the most downloaded items with a tag whose folded form begins with the folded prompt. */
export function tagSearch(folded: string): estypes.SearchSearchRequestBody {
  return {
    query: { bool: { filter: [{ term: { deleted: false } }, { prefix: { tagKeys: { value: folded } } }] } },
    sort: [{ downloadsCount: 'desc' }, { contentId: 'desc' }],
    size: COUNTED_ITEMS,
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['tagKeys'],
  };
}

/** @returns the tags of most of these items first, each only in its most frequent spelling */
export function tagsOf(response: MultiSearchItem | undefined, folded: string): string[] {
  const keys = (response?.hits.hits ?? []).flatMap(({ fields }) => (fields?.['tagKeys'] ?? []) as string[]);
  const matching = keys.filter((key) => key.startsWith(folded));
  const byFrequency = [...Map.groupBy(matching, (key) => key).values()].toSorted((one, other) => other.length - one.length);
  return distinctBy(byFrequency.map(([key = '']) => tagOfKey(key)), nameKey); // prettier-ignore
}
