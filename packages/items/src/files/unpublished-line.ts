import { z } from 'zod';
import { toTimestamp, Visibility } from '../changes/content-item.ts';
import type { NewRow } from '../changes/unpublished-content.ts';
import type { Unpublished } from '../changes/visibility.ts';
import { visibleText } from '../fields/text.ts';
import { visibilityFields } from '../fields/visibility-fields.ts';
import { optional, pastTime } from './fields.ts';

const KEY_RULE = 'must be 16 to 100 letters, digits, - or _';
const FLAG_RULE = 'must be true or false';

/** What an export has of an item that is not public, besides who sees it. */
export const unpublished = z.object(
  {
    since: optional(pastTime),
    key: optional(z.string(KEY_RULE).regex(/^[\w-]{16,100}$/, KEY_RULE)),
    mayPublish: optional(z.boolean(FLAG_RULE)),
    wasPublic: optional(z.boolean(FLAG_RULE)),
    wantsUnlisted: optional(z.boolean(FLAG_RULE)),
    refusal: optional(z.object({ reason: visibleText({ max: 1_000 }), since: optional(pastTime) }, 'must be an object with reason')),
  },
  'must be an object',
);

/** The fields of a line that say who sees a new item. */
export const visibilityOfLine = {
  visibility: optional(z.enum(Visibility.options, 'must be public, unlisted, draft or review')),
  publishAt: optional(visibilityFields.publishAt),
  unpublished: optional(unpublished),
};

/** Times are in milliseconds since 1970. */
export type VisibilityOfLine = Partial<{ [Field in keyof typeof visibilityOfLine]: z.output<(typeof visibilityOfLine)[Field]> }>;

export function isPublic({ visibility = 'public' }: VisibilityOfLine): boolean {
  return visibility === 'public';
}

/** @returns undefined if the times of a line agree with who sees the item */
export function problemOfTime({ publishAt, ...line }: VisibilityOfLine): string | undefined {
  if (publishAt === undefined || !isPublic(line)) return undefined;
  return 'is only for an item with the visibility draft, unlisted or review';
}

/** @returns the row of a new item; none for a public one */
export function toUnpublished(item: { contentId: number; creatorId: number }, line: VisibilityOfLine): NewRow[] {
  const { visibility = 'public', unpublished: more = NOTHING_MORE } = line;
  if (visibility === 'public') return [];
  const { since, key: accessKey, mayPublish = BY_OPERATORS, wasPublic = false, wantsUnlisted } = more;
  const isReview = visibility === 'review';
  return [
    {
      ...item,
      kind: visibility,
      publishAt: toDate(line.publishAt),
      mayPublish,
      wantsUnlisted: isReview && wantsUnlisted === true,
      wasPublic,
      ...(since !== undefined && { since: new Date(since) }),
      ...(accessKey !== undefined && { accessKey }),
      ...(isReview && refusalOf(more)),
    },
  ];
}

/** Operators import, who may publish. */
const BY_OPERATORS = true;
type More = Partial<z.output<typeof unpublished>>;
const NOTHING_MORE: More = {};

function refusalOf({ refusal }: More): Partial<NewRow> {
  return refusal ? { refusedAt: new Date(refusal.since ?? Date.now()), refusedReason: refusal.reason } : {};
}

function toDate(ms: number | null | undefined): Date | null {
  return typeof ms === 'number' ? new Date(ms) : null;
}

/** As a left join returns it: null for a public item. */
export type JoinedUnpublished = { [Field in keyof Unpublished]: Unpublished[Field] | null };

/** What an export writes of an item. */
export function visibilityOf({ kind, since, publishAt, accessKey, refusedAt, refusedReason, ...row }: JoinedUnpublished) {
  if (kind === null) return {};
  return {
    visibility: kind,
    ...(publishAt && { publishAt: toTimestamp(publishAt) }),
    unpublished: {
      ...(since && { since: toTimestamp(since) }),
      ...(accessKey !== null && { key: accessKey }),
      mayPublish: row.mayPublish === true,
      wasPublic: row.wasPublic === true,
      ...(row.wantsUnlisted && { wantsUnlisted: true }),
      ...(refusedAt && { refusal: { since: toTimestamp(refusedAt), reason: refusedReason ?? '' } }),
    },
  };
}
