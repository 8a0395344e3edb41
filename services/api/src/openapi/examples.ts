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

export const EXAMPLE_SUGGESTIONS = {
  completions: [
    { text: 'lighthouse', type: 'tag' },
    { text: 'Lighthouse at dusk', type: 'name' },
  ],
};

const { creatorId, name, description, version, data } = EXAMPLE_ITEM;
export const EXAMPLE_UPLOAD = { creatorId, name, description, version, data, tags: ['pixel art', 'wallpaper'] };

const { contentId, createdAt, updatedAt, creatorName } = EXAMPLE_ITEM;
export const EXAMPLE_UPLOADED = {
  content_id: contentId,
  data,
  creator: { user_id: creatorId, username: creatorName, credential: 'https://login.example.com|1' },
  name,
  description,
  version,
  contentDates: { content_id: contentId, created_at: createdAt, updated_at: updatedAt },
};

export const EXAMPLE_STATUS = { contentId, revision: 1, status: 'indexed' };

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
