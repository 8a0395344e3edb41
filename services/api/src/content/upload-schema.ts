import { z } from 'zod';
import type { Limits } from '../env.ts';
import { storableText, visibleText } from './text.ts';
import { parseThumbnail, THUMBNAIL_PATTERN, thumbnailMaxLength, ThumbnailRefused } from './thumbnail.ts';

const required = (what: string) => (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : what);

const integerFrom = (min: number, max: number) => {
  const rule = `must be an integer from ${min} to ${max}`;
  return z
    .number({ error: required(rule) })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max && !Object.is(value, -0), rule)
    .meta({ type: 'integer', minimum: min, maximum: max });
};

/** What an item is made of, under the configured limits. */
export function contentFields(limits: Limits) {
  return {
    name: visibleText({ max: limits.NAME_MAX_CHARACTERS }),
    description: storableText({ min: 0, max: limits.DESCRIPTION_MAX_CHARACTERS }),
    version: integerFrom(0, 2_147_483_647),
    data: storableText({ min: 0, max: limits.DATA_MAX_CHARACTERS }).describe(
      'The payload. It is stored and returned as it is, and not searched.',
    ),
    thumbnail: thumbnail(limits),
    tags: tags(limits),
  };
}

/** The body of an upload. Unknown fields are dropped. */
export function uploadSchema(limits: Limits) {
  const fields = contentFields(limits);
  return z
    .object(
      {
        creatorId: integerFrom(1, Number.MAX_SAFE_INTEGER).describe("The uploading user's id: the token's own user."),
        ...fields,
        thumbnail: fields.thumbnail.optional(),
        tags: fields.tags.default([]),
      },
      { error: 'must be a JSON object' },
    )
    .meta({ id: 'Upload' });
}

export type Upload = z.output<ReturnType<typeof uploadSchema>>;

function tags(limits: Limits) {
  const list = z
    .array(storableText({ min: 1, max: limits.TAG_MAX_CHARACTERS }), { error: 'must be an array of strings' })
    .meta({ maxItems: limits.TAGS_MAX });
  // Zod examines every element of an array before it counts them, so the count comes first.
  return z
    .preprocess((value, ctx) => {
      if (!Array.isArray(value) || value.length <= limits.TAGS_MAX) return value;
      ctx.addIssue({ code: 'custom', message: `has more than ${limits.TAGS_MAX} tags` });
      return z.NEVER;
    }, list)
    .transform((tags) => [...new Set(tags)])
    .describe('Kept in order; repeats are dropped.');
}

function thumbnail(limits: Limits) {
  return z
    .string({ error: 'must be a string' })
    .meta({ minLength: 1, maxLength: thumbnailMaxLength(limits.THUMBNAIL_MAX_BYTES), pattern: THUMBNAIL_PATTERN })
    .transform((value, ctx) => {
      try {
        return parseThumbnail(value, { limitBytes: limits.THUMBNAIL_MAX_BYTES, limitSide: limits.THUMBNAIL_MAX_SIDE });
      } catch (error) {
        if (!(error instanceof ThumbnailRefused)) throw error;
        ctx.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    })
    .describe('Base64, with or without a `data:` prefix, of a whole PNG, JPEG, WebP or GIF image.');
}
