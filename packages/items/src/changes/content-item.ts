import type { Definitions } from '@ugc/fields/definition';
import { declaredValues, type Values } from '@ugc/fields/values';
import {
  ItemFields,
  nonNegative,
  pickItemFields,
  timestamp,
  type IncludedFields,
  type PictureField,
  type Popularity,
  type StoredContent,
} from '@ugc/shared/contracts/content';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { z } from 'zod';
import { recentOf } from './popularity.ts';
import { RankingReason } from './ranking-reasons.ts';

/** Which downloads clients read, sort by and filter by: all, or those by users. */
export type PublicDownloads = 'all' | 'users';

const fragments = z.array(z.string()).optional();

/** HTML fragments. A field in which nothing matches is absent. */
export const Highlights = z
  .object({
    name: fragments.describe('The complete name.'),
    description: fragments.describe('Up to three parts of about 150 characters, or the complete description if it is short.'),
    tags: fragments.describe('The matching tags.'),
    fields: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe('The matching parts of the searched fields that the operator has declared, by name.'),
  })
  .meta({ id: 'Highlights' });
export type Highlights = z.infer<typeof Highlights>;

export const Hidden = z
  .object({ since: timestamp, reason: z.string().describe('Why a moderator has hidden the item.') })
  .meta({ id: 'Hidden' });
export type Hidden = z.infer<typeof Hidden>;

export const Visibility = z.enum(['public', 'unlisted', 'draft', 'review']);
export type Visibility = z.infer<typeof Visibility>;

export const Refusal = z
  .object({ since: timestamp, reason: z.string().describe('Why a moderator does not publish the item.') })
  .meta({ id: 'Refusal' });

/** What an item that is not public has besides, for those who may read it. */
export const MARKS = {
  visibility: Visibility.describe(
    'Who sees the item. `review`: it waits for a moderator. Present with `include=visibility`, and for every item that is not public.',
  ),
  publishAt: timestamp.describe(
    'When the item becomes public. Present only while a time is set, for its creator, and for the moderators of a review.',
  ),
  key: z.string().describe('The value of `?key=` with which others read an unlisted item. Present only for its creator.'),
  afterReview: z
    .enum(['public', 'unlisted', 'draft'])
    .describe('What an item in review becomes when a moderator publishes it: a `draft` is public from `publishAt` on.'),
};
export type Marks = { visibility: Visibility } & Partial<
  Record<'publishAt' | 'key', string> & { afterReview: z.infer<typeof MARKS.afterReview>; refusal: z.infer<typeof Refusal> }
>;

export const hasThumbnail = z
  .boolean()
  .describe(
    'Whether there is a thumbnail. Present only with `include=thumbnail`; absent in lists until an item of an older index is indexed again.',
  );

export const ContentItem = ItemFields.extend({
  tags: z.array(z.string()).optional().describe('Present only with `include=tags`.'),
  fileName: z
    .string()
    .nullable()
    .optional()
    .describe('Present only with `include=fileName`: the name of the file that `data` is from; null without one.'),
  hasThumbnail: hasThumbnail.optional(),
  fields: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Present only with `include=fields`: the values of the fields that the operator has declared, by name.'),
  ratingCount: nonNegative.optional().describe('Present only with `include=ratingCount`, which lists do not have: the number of ratings.'),
  recent: nonNegative
    .optional()
    .describe(
      'Present only with `include=recent`: about how many downloads by users the item has had lately. Each counts less from week to week; a first rating of 4 or 5 counts as three.',
    ),
  highlights: Highlights.optional().describe(
    'Present only in lists, with `highlight=true`: escaped text in which what the prompt matches is in `<mark>` elements.',
  ),
  reasons: z
    .array(RankingReason)
    .optional()
    .describe(
      'Present only in lists with a prompt and `explain=true` whose first sort key is `relevance` or `best`, descending: what counts for the place of the item, the weightiest first.',
    ),
  hidden: Hidden.optional().describe('Present only if the item is hidden: then its creator and moderators alone read it.'),
  visibility: MARKS.visibility.optional(),
  publishAt: MARKS.publishAt.optional(),
  key: MARKS.key.optional(),
  afterReview: MARKS.afterReview.optional(),
  refusal: Refusal.optional().describe('Present only if a moderator has refused to publish the item; an edit asks again.'),
}).meta({ id: 'ContentItem' });
export type ContentItem = z.infer<typeof ContentItem>;

/** An item of a list with `fields=summary`. */
export const ContentSummary = ContentItem.omit({ data: true }).meta({ id: 'ContentSummary' });
export type ContentSummary = z.infer<typeof ContentSummary>;

/** Documents of the index do not have the number of ratings, and older ones do not say whether there is a thumbnail. */
type Includable = Omit<IncludedFields, 'fields'> &
  Partial<PictureField & Popularity> & { ratingCount?: number; fields?: Values | undefined; marks?: Marks | undefined };

/** What a request includes. `declared`: the fields whose values it gets with `fields`. */
export type Included = {
  include: ('tags' | 'fileName' | 'thumbnail' | 'ratingCount' | 'fields' | 'recent' | 'next' | 'visibility')[];
  declared: Definitions;
};

export function withIncluded(item: ContentItem, source: Includable, { include, declared }: Included): ContentItem {
  const { tags, fileName, hasThumbnail, ratingCount, fields = {}, heatWeek, marks } = source;
  return {
    ...item,
    ...(include.includes('tags') && { tags }),
    ...(include.includes('fileName') && { fileName: fileName ?? null }),
    ...(include.includes('thumbnail') && { hasThumbnail }),
    ...(include.includes('ratingCount') && { ratingCount }),
    ...(include.includes('recent') && { recent: Math.round(recentOf(heatWeek, Date.now())) }),
    ...(include.includes('fields') && { fields: declaredValues(fields, declared) }),
    ...(include.includes('visibility') && { visibility: 'public' as const }),
    ...marks,
  };
}

export function fromRow(row: StoredContent, downloads: PublicDownloads): ContentItem {
  return { ...pickPublic(row, downloads), createdAt: toTimestamp(row.createdAt), updatedAt: toTimestamp(row.updatedAt) };
}

export function fromDocument(document: ContentDocument, downloads: PublicDownloads): ContentItem {
  return { ...pickPublic(document, downloads), createdAt: withOffset(document.createdAt), updatedAt: withOffset(document.updatedAt) };
}

/** A document that was written before the service knew the downloads by users has all downloads. */
function pickPublic<T extends StoredContent | ContentDocument>(source: T, downloads: PublicDownloads) {
  const item = pickItemFields(source);
  const { userDownloads, latestUserDownloads } = source;
  if (downloads !== 'users' || userDownloads === undefined) return item;
  return { ...item, downloadsCount: userDownloads, latestDownloadsCount: latestUserDownloads ?? item.latestDownloadsCount };
}

/** Formats a date as ISO 8601 in UTC, with milliseconds and a numeric offset as the specification requires. */
export function toTimestamp(date: Date): string {
  return withOffset(date.toISOString());
}

function withOffset(iso: string): string {
  return iso.replace('Z', '+00:00');
}
