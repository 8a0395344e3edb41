import type { estypes } from '@elastic/elasticsearch';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import type { MultiSearchItem } from '../searched-index/multi-search.ts';

type Owned = Pick<ContentDocument, 'creatorId' | 'creatorName'>;

/** Finds one item of each creator. A search for each of 20 creators, which stops at its first item, takes longer. */
export function creatorNamesSearch(creatorIds: number[]): estypes.SearchSearchRequestBody {
  return {
    query: { terms: { creatorId: creatorIds } },
    collapse: { field: 'creatorId' },
    size: creatorIds.length,
    sort: ['_doc'],
    track_total_hits: false,
    _source: ['creatorId', 'creatorName'],
  };
}

/**
 * Adds the names. Creators whose last items have been deleted since they were counted are omitted.
 * @param found the response to `creatorNamesSearch`
 */
export function withCreatorNames<T extends { creatorId: number }>(creators: T[], found: MultiSearchItem | undefined) {
  const items = found?.hits.hits.map(({ _source }) => _source as Owned) ?? [];
  const names = new Map(items.map(({ creatorId, creatorName }) => [creatorId, creatorName]));
  return creators.flatMap((creator) => {
    const creatorName = names.get(creator.creatorId);
    return creatorName === undefined ? [] : [{ ...creator, creatorName }];
  });
}
