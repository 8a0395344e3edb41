import { describe, expect, it } from '@jest/globals';
import { buildQuery, buildSort } from '@ugc/api/search/search-query';

it('buildQuery matches every item that is not deleted for a blank prompt', () => {
  expect(buildQuery(undefined)).toEqual({ bool: { filter: [{ term: { deleted: false } }] } });
});

describe('buildSort', () => {
  it.each([
    [
      'adds contentId as the tiebreaker, in the direction of the first key',
      [{ field: 'avgRating', direction: 'asc' }],
      'x',
      [{ avgRating: 'asc' }, { contentId: 'asc' }],
    ],
    ['sorts texts by their folded sort fields', [{ field: 'name', direction: 'desc' }], '', [{ nameSort: 'desc' }, { contentId: 'desc' }]],
    [
      'sorts by score for relevance with a prompt',
      [{ field: 'relevance', direction: 'desc' }],
      'x',
      [{ _score: { order: 'desc' } }, { contentId: 'desc' }],
    ],
    [
      'sorts by creation time for relevance without a prompt',
      [{ field: 'relevance', direction: 'desc' }],
      ' ',
      [{ createdAt: 'desc' }, { contentId: 'desc' }],
    ],
  ] as const)('returns sort clauses: it %s', (_what, keys, prompt, expected) => {
    expect(buildSort([...keys], prompt)).toEqual(expected);
  });
});
