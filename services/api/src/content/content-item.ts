import type { StoredContent } from '@ugc/shared/contracts/content';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { z } from 'zod';
import { nonNegative, nonNegativeInt32, positive } from '../http/integers.ts';

export const timestamp = z.string().meta({ format: 'date-time', examples: ['2026-11-20T09:30:00.000+00:00'] });

const fragments = z.array(z.string()).optional();

/** HTML fragments. A field in which nothing matches is absent. */
export const Highlights = z
  .object({
    name: fragments.describe('The complete name.'),
    description: fragments.describe('Up to three parts of about 150 characters, or the complete description if it is short.'),
    tags: fragments.describe('The matching tags.'),
  })
  .meta({ id: 'Highlights' });
export type Highlights = z.infer<typeof Highlights>;

/** A content item in responses. Only these fields leave the service. */
export const ContentItem = z
  .object({
    contentId: positive,
    creatorId: positive,
    creatorName: z.string(),
    data: z.string(),
    name: z.string(),
    description: z.string(),
    version: nonNegativeInt32,
    downloadsCount: nonNegative,
    latestDownloadsCount: nonNegative.describe('The number of downloads since `version` last changed.'),
    avgRating: z.number().min(0).max(5).describe('The mean of one rating per user; 0 without ratings.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    tags: z.array(z.string()).optional().describe('Present only with `include=tags`.'),
    highlights: Highlights.optional().describe(
      'Present only in lists, with `highlight=true`: escaped text in which what the prompt matches is in `<mark>` elements.',
    ),
  })
  .meta({ id: 'ContentItem' });
export type ContentItem = z.infer<typeof ContentItem>;

export function withTags(item: ContentItem, tags: string[], include: boolean): ContentItem {
  return include ? { ...item, tags } : item;
}

export function fromRow(row: StoredContent): ContentItem {
  return {
    contentId: row.content_id,
    creatorId: row.creator_id,
    creatorName: row.creator_name,
    data: row.data,
    name: row.name,
    description: row.description,
    version: row.version,
    downloadsCount: row.downloads_count,
    latestDownloadsCount: row.latest_downloads_count,
    avgRating: row.avg_rating,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  };
}

export function fromDocument(document: ContentDocument): ContentItem {
  return {
    contentId: document.contentId,
    creatorId: document.creatorId,
    creatorName: document.creatorName,
    data: document.data,
    name: document.name,
    description: document.description,
    version: document.version,
    downloadsCount: document.downloadsCount,
    latestDownloadsCount: document.latestDownloadsCount,
    avgRating: document.avgRating,
    createdAt: withOffset(document.createdAt),
    updatedAt: withOffset(document.updatedAt),
  };
}

/** Formats a date as ISO 8601 in UTC, with milliseconds and a numeric offset as the specification requires. */
export function toTimestamp(date: Date): string {
  return withOffset(date.toISOString());
}

function withOffset(iso: string): string {
  return iso.replace('Z', '+00:00');
}
