import { expect, it } from '@jest/globals';
import { toChange } from '@ugc/indexer/documents/bulk';
import { toDocument } from '@ugc/indexer/documents/document';
import type { IndexedContent } from '@ugc/shared/contracts/content';
import { NEWEST_RULES, textRulesOf } from '@ugc/shared/search-text/text-rules';

const row: IndexedContent = {
  contentId: 1,
  creatorId: 7,
  creatorName: 'Ådå 3/4',
  name: 'Café C++',
  description: 'Für .NET',
  data: '',
  tags: ['R2-D2', 'Öl'],
  version: 1,
  downloadsCount: 4_321,
  latestDownloadsCount: 0,
  avgRating: 3.9,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ratingSum: 0,
  ratingCount: 0,
  edits: 0,
  revision: 1,
  deletedAt: null,
};

it('a document has the folded text of all searched fields, and the keys by which items are found and counted', () => {
  expect(toDocument(row, NEWEST_RULES)).toMatchObject({
    name: 'Café C++',
    folded: {
      name: 'cafe c++',
      tags: ['r2-d2', 'ol'],
      description: 'fur .net',
      creatorName: 'ada 3/4',
      repeated: ['cafe c++', 'cafe c++', 'r2-d2', 'ol'],
    },
    literals: ['c++', 'r2-d2', '3/4', '.net'],
    nameKey: ['cafe c++', '\0cafe c++'],
    tagKeys: ['r2-d2\0R2-D2', 'ol\0Öl'],
    facets: { creatorId: '7', stars: '3', downloads: '1000' },
    quality: expect.any(Number),
    qualityFactor: expect.any(Number),
  });
});

it('a document of an older index follows the rules of that index', () => {
  const older = toDocument({ ...row, name: '“ᴄat” サーバー 10' }, textRulesOf(5));
  expect(older).toMatchObject({
    nameSort: '“ᴄat” サーバー 10'.normalize('NFKD').replace(/\p{M}/gu, ''),
    folded: { name: '“ᴄat” サーバー 10' },
    nameKey: ['“ᴄat” サーバー 10'],
  });
  expect(toDocument({ ...row, name: '“ᴄat” サーバー 10' }, NEWEST_RULES)).toMatchObject({
    nameSort: 'cat” サーバー 110',
    folded: { name: '“cat” サ ー バ ー 10' },
    nameKey: ['“cat” サーバー 10', '\0cat サーバー 10'],
  });
});

it('an index without `data` receives none, and the same document otherwise', () => {
  const sourceOf = (item: IndexedContent, hasData: boolean) => toChange(item, { rules: NEWEST_RULES, hasData }).source ?? '';
  const { data, ...others } = JSON.parse(sourceOf({ ...row, data: 'long' }, true)) as Record<string, unknown>;
  expect(data).toBe('long');
  expect(JSON.parse(sourceOf({ ...row, data: 'long' }, false))).toEqual(others);
  const deleted = { ...row, deletedAt: new Date(0) };
  expect(sourceOf(deleted, false)).toBe(sourceOf(deleted, true));
});
