import { describe, expect, it } from '@jest/globals';
import { parsePrompt } from '@ugc/api/search/prompt/parse-prompt';
import { textFieldsOf } from '@ugc/api/search/text-fields';
import { buildQuery } from '@ugc/api/search/query';
import { buildSort, checkSort } from '@ugc/api/search/sort';
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
  const PROMPT = { hasPrompt: true, hasScores: true };
  const NO_PROMPT = { hasPrompt: false, hasScores: false };
  it.each([
    [
      'adds contentId as the tiebreaker, in the direction of the first key',
      [{ field: 'avgRating', direction: 'asc' }],
      PROMPT,
      [{ avgRating: 'asc' }, { contentId: 'asc' }],
    ],
    [
      'sorts texts by their folded sort fields',
      [{ field: 'name', direction: 'desc' }],
      NO_PROMPT,
      [{ nameSort: 'desc' }, { contentId: 'desc' }],
    ],
    [
      'sorts by score for relevance with a prompt',
      [{ field: 'relevance', direction: 'desc' }],
      PROMPT,
      [{ _score: { order: 'desc' } }, { contentId: 'desc' }],
    ],
    [
      'sorts by creation time for relevance without a prompt',
      [{ field: 'relevance', direction: 'desc' }],
      NO_PROMPT,
      [{ createdAt: 'desc' }, { contentId: 'desc' }],
    ],
    [
      'sorts by score for best with a prompt',
      [{ field: 'best', direction: 'desc' }],
      PROMPT,
      [{ _score: { order: 'desc' } }, { contentId: 'desc' }],
    ],
    [
      'sorts by quality for best without a prompt',
      [{ field: 'best', direction: 'desc' }],
      NO_PROMPT,
      [{ quality: 'desc' }, { contentId: 'desc' }],
    ],
    [
      'sorts by quality for best with a prompt that only excludes',
      [{ field: 'best', direction: 'asc' }],
      { hasPrompt: true, hasScores: false },
      [{ quality: 'asc' }, { contentId: 'asc' }],
    ],
  ] as const)('returns sort clauses: it %s', (_what, keys, sorted, expected) => {
    expect(buildSort([...keys], sorted)).toEqual(expected);
  });
});

it('checkSort refuses relevance and best in one list, in any order', () => {
  const keys = (...fields: ('best' | 'relevance' | 'name')[]) => ({ sort: fields.map((field) => ({ field, direction: 'desc' as const })) });
  for (const sort of [keys('best'), keys('relevance', 'name'), keys('best', 'name')]) expect(checkSort(sort)).toEqual([]);
  for (const sort of [keys('best', 'relevance'), keys('relevance', 'name', 'best')]) {
    expect(checkSort(sort)).toMatchObject([{ parameter: 'sort' }]);
  }
});
