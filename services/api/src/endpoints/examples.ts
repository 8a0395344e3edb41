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
