import { z } from 'zod';
import { ContentItem, ContentSummary } from '@ugc/items/changes/content-item';
import { nonNegative, nonNegativeInt32 } from '@ugc/shared/contracts/content';
import { Explanation } from './prompt/explanation.ts';

export const Sort = z.object({ empty: z.boolean(), sorted: z.boolean(), unsorted: z.boolean() }).meta({ id: 'Sort' });

const pageSize = nonNegativeInt32.min(1);

/** One page of a list, in the format of Spring Data's `PageImpl`. */
export const ContentPage = z
  .object({
    content: z.array(ContentItem),
    pageable: z.object({
      pageNumber: nonNegativeInt32,
      pageSize,
      sort: Sort,
      offset: nonNegative,
      paged: z.boolean(),
      unpaged: z.boolean(),
    }),
    last: z.boolean(),
    first: z.boolean(),
    totalElements: nonNegative.describe('The exact number of matching items.'),
    totalPages: nonNegative,
    size: pageSize,
    number: nonNegativeInt32.describe('The zero-based page number.'),
    sort: Sort,
    numberOfElements: nonNegativeInt32,
    empty: z.boolean(),
    next: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Present only with `include=next`: `after` of the next page; null for the last page, and in other orders than `createdAt,desc`.',
      ),
    interpretation: Explanation.optional().describe('Present only with `explain=true` and a prompt.'),
  })
  .meta({ id: 'ContentPage' });
export type ContentPage = z.infer<typeof ContentPage>;

export const ContentSummaryPage = ContentPage.extend({ content: z.array(ContentSummary) }).meta({ id: 'ContentSummaryPage' });

/** One page of a list with `totals=false`, in the format of Spring Data's `SliceImpl`. */
export const ContentSlice = ContentPage.omit({ totalElements: true, totalPages: true }).meta({ id: 'ContentSlice' });

export const ContentSummarySlice = ContentSlice.extend({ content: z.array(ContentSummary) }).meta({ id: 'ContentSummarySlice' });

export const HiddenPage = z.union([ContentPage, ContentSummaryPage]).meta({ id: 'HiddenPage' });

export const OwnPage = z.union([ContentPage, ContentSummaryPage]).meta({ id: 'OwnPage' });

export const AnyContentPage = z.union([ContentPage, ContentSummaryPage, ContentSlice, ContentSummarySlice]).meta({ id: 'AnyContentPage' });

// A list is always sorted, if only by the default.
const SORTED = { empty: false, sorted: true, unsorted: false };

type Position = { number: number; size: number; total: number; isContinued?: boolean | undefined };

/** @param position `number` is zero-based; a page past the end is empty and has the exact totals */
export function toPage<T>(content: T[], { number, size, total }: Position) {
  const totalPages = Math.ceil(total / size);
  const { content: items, pageable, last, first, ...rest } = toSlice(content, { number, size, total });
  return { content: items, pageable, last, first, totalElements: total, totalPages, ...rest };
}

/** @param position `total` may be any number above the last item of the page if more items follow */
export function toSlice<T>(content: T[], { number, size, total, isContinued = false }: Position) {
  return {
    content,
    pageable: { pageNumber: number, pageSize: size, sort: SORTED, offset: number * size, paged: true, unpaged: false },
    last: total <= (number + 1) * size,
    first: number === 0 && !isContinued,
    size,
    number,
    sort: SORTED,
    numberOfElements: content.length,
    empty: content.length === 0,
  };
}
