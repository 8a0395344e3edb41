import type { IndexedContent } from '@ugc/shared/contracts/content';

/** What an indexer reads of an item. Fields that are not given have valid defaults. */
export function indexedContent(fields: Partial<IndexedContent> = {}): IndexedContent {
  return {
    contentId: 1,
    creatorId: 1,
    creatorName: 'ada',
    name: 'x',
    description: '',
    data: '',
    tags: [],
    fileName: null,
    fields: {},
    hasThumbnail: false,
    version: 1,
    downloadsCount: 0,
    latestDownloadsCount: 0,
    userDownloads: fields.downloadsCount ?? 0,
    latestUserDownloads: 0,
    heatDay: null,
    heatWeek: null,
    avgRating: 0,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ratingSum: 0,
    ratingCount: 0,
    edits: 0,
    revision: 1,
    deletedAt: null,
    ...fields,
  };
}
