/** Spring Data's classic `PageImpl`, as callers of such services know it. */
export type Page<T> = ReturnType<typeof toPage<T>>;

// A list is always sorted, if only by the default.
const SORTED = { empty: false, sorted: true, unsorted: false };

/** @param number zero-based; a page past the end is empty but keeps the true totals */
export function toPage<T>(content: T[], { number, size, total }: { number: number; size: number; total: number }) {
  const totalPages = Math.ceil(total / size);
  return {
    content,
    pageable: { pageNumber: number, pageSize: size, sort: SORTED, offset: number * size, paged: true, unpaged: false },
    last: !(number + 1 < totalPages),
    first: number === 0,
    totalElements: total,
    totalPages,
    size,
    number,
    sort: SORTED,
    numberOfElements: content.length,
    empty: content.length === 0,
  };
}
