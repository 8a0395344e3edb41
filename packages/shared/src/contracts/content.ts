import type { Values } from '@ugc/fields/values';
import { z } from 'zod';
import { toColumn } from '../postgres/statements.ts';

// The integers of responses. Without bounds of its own, zod documents those of all safe integers.

/** An id of PostgreSQL's sequences, or a revision: both begin with 1. */
export const positive = z.int().min(1);

export const nonNegative = z.int().min(0);

/** A non-negative number of PostgreSQL's type `integer`. */
export const nonNegativeInt32 = z.int().min(0).max(2_147_483_647);

export const timestamp = z.string().meta({ format: 'date-time', examples: ['2026-11-20T09:30:00.000+00:00'] });

/** The fields that clients read. Rows, index documents and responses have them; only these leave the service. */
export const ItemFields = z.object({
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
});
export type ItemFields = z.infer<typeof ItemFields>;

/** Fields that responses have on request. Documents of an older index may be without newer ones. */
export type IncludedFields = { tags: string[]; fileName: string | null; fields: Values };

/**
 * What decides which items are shown as popular. `userDownloads`: the downloads that were the first of a user on a day, never
 * the creator's; `latestUserDownloads` those since `version` last changed. `heatWeek`: see popularity.ts; null without events.
 */
export type Popularity = { userDownloads: number; latestUserDownloads: number; heatWeek: number | null };

/** What the service sets itself. */
type OwnFields = 'contentId' | 'creatorId' | 'creatorName' | 'downloadsCount' | 'latestDownloadsCount' | 'avgRating' | keyof Times;
export type WrittenContent = Omit<ItemFields & IncludedFields, OwnFields>;

type ColumnTypes = {
  text: string;
  integer: number;
  'double precision': number;
  boolean: boolean;
  'text[]': readonly string[];
  jsonb: Values;
};
/** `empty`: the value of an item without one, which an erased item gets too. An optional field has null. */
type WrittenColumn<Value> = {
  [Type in keyof ColumnTypes]: NonNullable<Value> extends ColumnTypes[Type]
    ? { type: Type; empty: null extends Value ? null : ColumnTypes[Type] }
    : never;
}[keyof ColumnTypes];

/**
 * What a user writes of an item, except the thumbnail. Uploads, edits, deletions, imports, exports and the limit of an
 * item's bytes follow.
 */
export const WRITTEN_FIELDS = {
  name: { type: 'text', empty: '' },
  description: { type: 'text', empty: '' },
  version: { type: 'integer', empty: 0 },
  data: { type: 'text', empty: '' },
  tags: { type: 'text[]', empty: [] },
  fileName: { type: 'text', empty: null },
  fields: { type: 'jsonb', empty: {} },
} as const satisfies { [Field in keyof WrittenContent]: WrittenColumn<WrittenContent[Field]> };

export const WRITTEN = Object.keys(WRITTEN_FIELDS) as (keyof WrittenContent)[];

/** Read from the table of the thumbnails. Documents that were written before the field are without it. */
export type PictureField = { hasThumbnail: boolean };

type Times = { createdAt: Date; updatedAt: Date };
export type StoredContent = Omit<ItemFields, keyof Times> &
  Times &
  IncludedFields &
  PictureField &
  Popularity & {
    /** The number of edits. Downloads and ratings raise the revision only. */
    edits: number;
    revision: number;
    ratingCount: number;
  };

const FIELDS = ItemFields.keyof().options;

const COLUMNS = [
  ...new Set<keyof StoredContent>([
    ...FIELDS,
    ...WRITTEN,
    ...(['userDownloads', 'latestUserDownloads', 'heatWeek'] satisfies (keyof Popularity)[]),
    'edits',
    'revision',
    'ratingCount',
    'hasThumbnail',
  ]),
];

/** Of `content c`. For a few rows, `exists` could become a scan of all thumbnails. */
export const HAS_THUMBNAIL = '((select true from content_thumbnail t where t.content_id = c.content_id) is not null)';

// A process of 1.0.0 sets the counters alone, as when it deletes an item or imports counters: so neither number may be negative.
export const USER_DOWNLOADS = 'greatest(c.downloads_count - c.other_downloads, 0)';
export const LATEST_USER_DOWNLOADS = 'greatest(c.latest_downloads_count - c.latest_other_downloads, 0)';

/** What is not a column of `content c`. */
const EXPRESSIONS: Partial<Record<keyof StoredContent, string>> = {
  creatorName: 'u.username',
  hasThumbnail: HAS_THUMBNAIL,
  userDownloads: USER_DOWNLOADS,
  latestUserDownloads: LATEST_USER_DOWNLOADS,
};

function columnsOf(fields: (keyof StoredContent)[]): string {
  return fields.map((field) => `${EXPRESSIONS[field] ?? `c.${toColumn(field)}`} as ${toColumn(field)}`).join(', ');
}

/** Columns of `content c join users u`. */
export const STORED_CONTENT = columnsOf(COLUMNS);
/** The same without `data`, which may be large. */
export const STORED_SUMMARY = columnsOf(COLUMNS.filter((field) => field !== 'data'));

export type IndexedContent = StoredContent & { heatDay: number | null; ratingSum: number; deletedAt: Date | null };
export const INDEXED_CONTENT = `${STORED_CONTENT}, c.heat_day, c.rating_sum, c.deleted_at`;

/** Copies the fields that clients read. Documents of an older index lack newer fields, which are null then. */
export function pickItemFields<T extends StoredContent | ItemFields>(source: T): Pick<T, keyof ItemFields> {
  const values: Partial<Record<keyof ItemFields, unknown>> = source;
  const item: typeof values = {};
  for (const field of FIELDS) item[field] = values[field] ?? null;
  return item as Pick<T, keyof ItemFields>;
}

const BYTES_OF: Partial<Record<keyof ColumnTypes, string>> = { text: 'octet_length', jsonb: 'pg_column_size' };
const BYTES = WRITTEN.flatMap((field) => {
  const size = BYTES_OF[WRITTEN_FIELDS[field].type];
  return size === undefined ? [] : [`coalesce(${size}(c.${toColumn(field)}), 0)`];
});

/** The size of the texts and objects of `content c` in the rows before a row. Texts that are stored apart are not read for it. */
export function precedingBytes(order: string): string {
  return `coalesce(sum(${BYTES.join(' + ')})
    over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`;
}

/** A join of a few rows could become a scan of all items. @param alias has the column `content_id` */
export function creatorOf(alias: string): string {
  return `(select creator_id from content c where c.content_id = ${alias}.content_id)`;
}
