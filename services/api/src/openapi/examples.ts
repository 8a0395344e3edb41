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

const { creatorId, name, description, version, data } = EXAMPLE_ITEM;
export const EXAMPLE_UPLOAD = { creatorId, name, description, version, data, tags: ['pixel art', 'wallpaper'] };
