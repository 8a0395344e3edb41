import { describe, expect, it } from '@jest/globals';
import { sortKey, toDocument } from '@ugc/indexer/documents/document';
import type { IndexedContent } from '@ugc/shared/contracts/content';

describe('the sort key of a name', () => {
  it.each([
    ['ignores the case of letters', 'ZEBRA', 'zebra'],
    ['ignores accents, composed or not', 'Éclair E\u0301clair', 'eclair eclair'],
    ['ignores blanks before and after the text', '  tea ', 'tea'],
  ])('is folded text: it %s', (_what, text, key) => {
    expect(sortKey(text)).toBe(key);
  });

  it('is shorter than the longest term that Lucene accepts, for any text', () => {
    expect(Buffer.byteLength(sortKey('\uFDFA'.repeat(1_000)))).toBeLessThan(32_766);
  });
});

it('a document has the folded text of all searched fields, and the keys by which items are found and counted', () => {
  const row = {
    creatorId: 7,
    downloadsCount: 4_321,
    avgRating: 3.9,
    name: 'Café C++',
    tags: ['R2-D2', 'Öl'],
    description: 'Für .NET',
    creatorName: 'Ådå 3/4',
    createdAt: new Date(),
    updatedAt: new Date(),
  };
  expect(toDocument({ ...row, deletedAt: null } as IndexedContent)).toMatchObject({
    name: 'Café C++',
    folded: {
      name: 'cafe c++',
      tags: ['r2-d2', 'ol'],
      description: 'fur .net',
      creatorName: 'ada 3/4',
      repeated: ['cafe c++', 'cafe c++', 'r2-d2', 'ol'],
    },
    literals: ['c++', 'r2-d2', '3/4', '.net'],
    nameKey: 'cafe c++',
    tagKeys: ['r2-d2\0R2-D2', 'ol\0Öl'],
    facets: { creatorId: '7', stars: '3', downloads: '1000' },
  });
});
