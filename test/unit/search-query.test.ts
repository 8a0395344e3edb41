import { describe, expect, it } from '@jest/globals';
import { parsePrompt } from '@ugc/api/search/prompt/parse-prompt';
import { textFieldsOf } from '@ugc/api/search/text-fields';
import { buildQuery, buildSort } from '@ugc/api/search/query';
import { asWritten } from '../support/search/interpretation.ts';

it('buildQuery matches every item that is not deleted for a blank prompt', () => {
  expect(buildQuery(undefined)).toEqual({ bool: { filter: [{ term: { deleted: false } }] } });
});

it('buildQuery counts every quoted phrase for the rank', () => {
  const prompt = parsePrompt('"misty harbour" "two handles"', textFieldsOf({ mappingVersion: 3 }));
  const query = JSON.stringify(buildQuery({ ...asWritten(prompt), words: [], required: 0 }));
  for (const phrase of ['misty harbour', 'two handles']) expect(query).toContain(`{"query":"${phrase}","boost":1}`);
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
