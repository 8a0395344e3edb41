import type { View } from '../location/query-string.ts';

export type ActiveFilter = { key: string; label: string; without: Partial<View> };

/** What narrows the list. Creators may have equal names, so `key` distinguishes the filters. */
export function filtersOf({ tags, creatorId, minRating, minDownloads, createdFrom }: View, nameOf: NameOf): ActiveFilter[] {
  return [
    ...tags.map((tag) => ({ key: `tag ${tag}`, label: tag, without: { tags: tags.filter((other) => other !== tag) } })),
    ...creatorId.map((id) => ({
      key: `creator ${id}`,
      label: `by ${nameOf(id, `user ${id}`)}`,
      without: { creatorId: creatorId.filter((other) => other !== id) },
    })),
    ...(minRating > 0 ? [{ key: 'minRating', label: `rated ${minRating} or better`, without: { minRating: 0 } }] : []),
    ...(minDownloads > 0 ? [{ key: 'minDownloads', label: `${minDownloads} downloads or more`, without: { minDownloads: 0 } }] : []),
    ...(createdFrom !== '' ? [{ key: 'createdFrom', label: `since ${createdFrom}`, without: { createdFrom: '' } }] : []),
  ];
}

export type NameOf = (creatorId: number, otherwise: string) => string;
