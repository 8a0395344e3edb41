import type { IndexedContent } from '@ugc/shared/contracts/content';

const RATINGS = 10;

/** A linear congruential generator with a fixed seed: every run has the same items. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Origin = { creators: number; random: () => number };

/** @returns the row of which an indexer makes the document: of one item in five that many rated and downloaded */
export function itemRow(
  contentId: number,
  texts: Pick<IndexedContent, 'name' | 'description' | 'tags' | 'fields'>,
  { creators, random }: Origin,
): IndexedContent {
  const popular = random() < 0.2;
  const creatorId = 1 + Math.floor(creators * random() ** 2);
  const ratingSum = popular ? Math.round(random() * 4 * RATINGS) + RATINGS : 0;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(contentId / 3) * 1_000);
  const downloadsCount = popular ? Math.floor(1 / (random() + 1e-4)) : 0;
  return {
    ...texts,
    contentId,
    creatorId,
    creatorName: `user ${creatorId}`,
    data: 'x'.repeat(100),
    fileName: null,
    hasThumbnail: false,
    version: 1 + Math.floor(10 * random() ** 4),
    downloadsCount,
    latestDownloadsCount: 0,
    // They decide what is popular.
    userDownloads: downloadsCount,
    latestUserDownloads: 0,
    heatDay: null,
    heatWeek: null,
    avgRating: ratingSum / RATINGS,
    createdAt,
    updatedAt: createdAt,
    ratingSum,
    ratingCount: popular ? RATINGS : 0,
    edits: 0,
    revision: 1,
    deletedAt: null,
  };
}
