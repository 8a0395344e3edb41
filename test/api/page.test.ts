import { describe, expect, it } from '@jest/globals';
import { EXAMPLE_ITEM } from '@ugc/api/endpoints/examples';
import { toPage } from '@ugc/api/search/page';

type Input = [number: number, size: number, total: number, found: number];
type Envelope = { totalPages: number; offset: number; first: boolean; last: boolean; empty: boolean };

const SORTED = { empty: false, sorted: true, unsorted: false };

const items = (count: number) => Array.from({ length: count }, (_, position) => ({ ...EXAMPLE_ITEM, contentId: position + 1 }));

describe('toPage', () => {
  // The expected values are the responses of a Spring Data service to the same parameters.
  it.each<[...Input, Envelope]>([
    [0, 2, 53, 2, { totalPages: 27, offset: 0, first: true, last: false, empty: false }],
    [2, 20, 53, 13, { totalPages: 3, offset: 40, first: false, last: true, empty: false }],
    [3, 20, 53, 0, { totalPages: 3, offset: 60, first: false, last: true, empty: true }],
    [99, 20, 53, 0, { totalPages: 3, offset: 1_980, first: false, last: true, empty: true }],
    [0, 20, 0, 0, { totalPages: 0, offset: 0, first: true, last: true, empty: true }],
    [5, 20, 0, 0, { totalPages: 0, offset: 100, first: false, last: true, empty: true }],
    [0, 20, 3, 3, { totalPages: 1, offset: 0, first: true, last: true, empty: false }],
    [1, 2, 3, 1, { totalPages: 2, offset: 2, first: false, last: true, empty: false }],
    [1, 1, 3, 1, { totalPages: 3, offset: 1, first: false, last: false, empty: false }],
    [2_147_483_646, 20, 3, 0, { totalPages: 1, offset: 42_949_672_920, first: false, last: true, empty: true }],
    [0, 20, 45, 0, { totalPages: 3, offset: 0, first: true, last: false, empty: true }],
  ])('returns the fields of a Spring Data page for page %i of size %i of %i items', (...input) => expectEnvelope(...input));

  // Spring's own arithmetic overflows here.
  it('computes the offset of the maximum page number without overflow', () =>
    expectEnvelope(2_147_483_647, 20, 3, 0, { totalPages: 1, offset: 42_949_672_940, first: false, last: true, empty: true }));

  it.each([1, 7, 10, 53, 200])('marks only the last page as the last one with pages of %i items', (size) => {
    const total = 53;
    const pages = Math.ceil(total / size);
    for (let number = 0; number < pages; number += 1) {
      const content = items(Math.min(size, total - number * size));
      expect(toPage(content, { number, size, total })).toMatchObject({ last: number === pages - 1, totalPages: pages, empty: false });
    }
  });
});

function expectEnvelope(...[number, size, total, found, { offset, ...rest }]: [...Input, Envelope]): void {
  const content = items(found);
  const page = toPage(content, { number, size, total });
  expect(page).toEqual({
    content,
    pageable: { pageNumber: number, pageSize: size, sort: SORTED, offset, paged: true, unpaged: false },
    ...rest,
    totalElements: total,
    size,
    number,
    sort: SORTED,
    numberOfElements: found,
  });
  expect(JSON.parse(JSON.stringify(page))).toEqual(page);
}
