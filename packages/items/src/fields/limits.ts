import { integer } from '@ugc/shared/config/env';
import { z } from 'zod';

/** The settings that decide which items are stored. */
export const uploadLimitFields = {
  NAME_MAX_CHARACTERS: integer(1, 1_000, 200).describe('maximum length of an item name, in characters'),
  DESCRIPTION_MAX_CHARACTERS: integer(0, 100_000, 10_000).describe('maximum length of a description, in characters'),
  DATA_MAX_CHARACTERS: integer(0, 4_194_304, 262_144).describe('maximum length of `data`, in characters'),
  TAGS_MAX: integer(0, 256, 32).describe('maximum number of tags of an item'),
  TAG_MAX_CHARACTERS: integer(1, 200, 64).describe('maximum length of a tag, in characters'),
  THUMBNAIL_MAX_BYTES: integer(1, 16_777_216, 524_288).describe('maximum size of a decoded thumbnail, in bytes'),
  THUMBNAIL_MAX_SIDE: integer(1, 16_384, 4_096).describe('maximum width and height of a thumbnail, in pixels'),
  THUMBNAIL_MAX_ANIMATION_PIXELS: integer(0, 1_000_000_000_000, 0).describe(
    'maximum area of an animated thumbnail times its frames, in pixels, which is what it costs browsers; 0 means no limit',
  ),
  ITEM_MAX_BYTES: integer(16_384, 67_108_864, 1_310_720).describe('maximum size of an item in the search response for a page, in bytes'),
  BODY_MAX_BYTES: integer(1_024, 67_108_864, 2_097_152).describe('maximum size of a request body, in bytes'),
};

const UploadLimits = z.object(uploadLimitFields);
export type UploadLimits = z.infer<typeof UploadLimits>;
