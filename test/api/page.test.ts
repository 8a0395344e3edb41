import { describe, expect, it } from '@jest/globals';
import { toPage } from '@ugc/api/search/page';

type Facts = [number: number, size: number, total: number, found: number];
type Envelope = { totalPages: number; offset: number; first: boolean; last: boolean; empty: boolean };

const SORTED = { empty: false, sorted: true, unsorted: false };

describe('a page has the envelope that Spring Data gives', () => {
  // As answered by a Spring Data service to the same parameters.
  it.each<[...Facts, Envelope]>([
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
  ])('page %i of size %i of %i items', (...facts) => expectEnvelope(...facts));

  // There Spring's own arithmetic overflows.
  it('also for the greatest page number', () =>
    expectEnvelope(2_147_483_647, 20, 3, 0, { totalPages: 1, offset: 42_949_672_940, first: false, last: true, empty: true }));

  it.each([1, 7, 10, 53, 200])('which says of pages of %i that only the last one is the last', (size) => {
    const total = 53;
    const pages = Math.ceil(total / size);
    for (let number = 0; number < pages; number += 1) {
      const content = Array.from({ length: Math.min(size, total - number * size) }, () => 'x');
      expect(toPage(content, { number, size, total })).toMatchObject({ last: number === pages - 1, totalPages: pages, empty: false });
    }
  });
});

function expectEnvelope(...[number, size, total, found, { offset, ...rest }]: [...Facts, Envelope]): void {
  const content = Array.from({ length: found }, (_, position) => `item ${position}`);
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
