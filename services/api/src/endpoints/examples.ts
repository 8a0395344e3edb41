// What several endpoints document.

export const ITEMS_TAG = 'Items';
export const RATINGS_TAG = 'Ratings and downloads';

export const OF_ANOTHER_USER = 'There is no valid token, or the item belongs to another user.';

export const EXAMPLE_ITEM = {
  contentId: 42,
  creatorId: 1,
  creatorName: 'pixel_otter',
  data: '{"width":320,"height":180}',
  name: 'Lighthouse at dusk',
  description: 'A pixel-art wallpaper of a misty harbour.',
  version: 1,
  downloadsCount: 311,
  latestDownloadsCount: 40,
  avgRating: 4.5,
  createdAt: '2026-11-20T09:30:00.000+00:00',
  updatedAt: '2026-11-20T09:30:00.000+00:00',
};

const { creatorId, creatorName } = EXAMPLE_ITEM;

export const EXAMPLE_FACETS = {
  totalElements: 3,
  facets: {
    tags: {
      values: [
        { tag: 'pixel art', count: 2 },
        { tag: 'wallpaper', count: 1 },
      ],
      other: 0,
      exact: true,
    },
    creators: { values: [{ creatorId, creatorName, count: 3 }], other: 0, exact: true },
    ratings: {
      values: [
        { stars: 4, count: 1 },
        { stars: 0, count: 2 },
      ],
    },
    downloads: {
      values: [
        { min: 0, max: 0, count: 2 },
        { min: 100, max: 999, count: 1 },
      ],
    },
    created: {
      interval: 'day',
      values: [
        { from: '2026-11-20T00:00:00.000+00:00', to: '2026-11-21T00:00:00.000+00:00', count: 1 },
        { from: '2026-11-21T00:00:00.000+00:00', to: '2026-11-22T00:00:00.000+00:00', count: 2 },
      ],
    },
  },
};
