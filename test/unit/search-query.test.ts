import { describe, expect, it } from '@jest/globals';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { parsePrompt } from '@ugc/api/search/parse-prompt';
import { buildQuery, buildSort } from '@ugc/api/search/search-query';

type Clauses = { must: unknown[]; should: unknown[]; must_not: unknown[] };
const queryOf = (prompt: string) => buildQuery(prompt, {}, { mappingVersion: MAPPING_VERSION });
const clausesOf = (prompt: string) => (queryOf(prompt) as { bool: Clauses }).bool;
const LIVE = { term: { deleted: false } };

describe('parsePrompt', () => {
  it.each([
    ['red bicycle', { words: ['red', 'bicycle'], prefix: 'bicycle' }],
    ['Red, RED red!', { words: ['red'], prefix: 'red' }],
    ['"misty harbour" boats', { phrases: ['misty harbour'], words: ['boats'], prefix: 'boats' }],
    ['boats "misty harbour"', { phrases: ['misty harbour'], words: ['boats'], prefix: undefined }],
    ['soup -spicy -"very hot"', { words: ['soup'], excludedWords: ['spicy'], excludedPhrases: ['very hot'], prefix: undefined }],
    ['"never closed', { words: ['never', 'closed'], prefix: 'closed' }],
    ['well-known e-mail', { words: ['well-known', 'e-mail'], prefix: 'e-mail' }],
    ['the art of the garden', { words: ['art', 'garden'], prefix: 'garden' }],
    ['bread and', { words: ['bread'], prefix: undefined }],
    ['to be or not to be', { words: ['to', 'be', 'or', 'not'], stopWordsOnly: true, prefix: undefined }],
    ['*** ( ) - -- "" +', { words: [], phrases: [], excludedWords: [] }],
    ['🦊 日本語', { words: ['🦊', '日本語'], prefix: '日本語' }],
  ])('splits %j into words, phrases, exclusions and a prefix', (prompt, expected) => {
    const { words, ...rest } = parsePrompt(prompt);
    expect({ ...rest, words: words.map(({ text }) => text) }).toMatchObject(expected);
  });

  it('counts the occurrences of each word', () => {
    expect(parsePrompt('tea green tea').words).toEqual([
      { text: 'tea', count: 2 },
      { text: 'green', count: 1 },
    ]);
  });
});

describe('buildQuery', () => {
  it('matches every item that is not deleted for a blank prompt', () => {
    expect(queryOf('  ')).toEqual({ bool: { filter: [LIVE], must: [], should: [], must_not: [] } });
  });

  it('matches nothing for a prompt without any term', () => {
    expect(queryOf('***')).toMatchObject({ bool: { must: [{ match_none: {} }] } });
  });

  it('matches the last word as it is, fuzzily and as a prefix, with decreasing weights', () => {
    expect(queryOf('lighthouse')).toMatchObject({
      bool: {
        must: [
          {
            bool: {
              minimum_should_match: 1,
              should: [
                {
                  dis_max: {
                    boost: 1,
                    queries: [
                      {
                        combined_fields: {
                          query: 'lighthouse',
                          fields: ['folded.name^2', 'folded.tags^1.7', 'folded.description^1.3', 'folded.creatorName^1'],
                          operator: 'and',
                        },
                      },
                      { match: { words: { query: 'lighthouse', fuzziness: 'AUTO', boost: 0.7 } } },
                      { match_phrase_prefix: { words: { query: 'lighthouse', boost: 0.3 } } },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    });
  });

  it.each([
    ['word', 1],
    ['two words', 2],
    ['some more words', 2],
    ['one two three four five six seven eight nine', 1],
  ])('of the words of %j requires at least %i', (prompt, required) => {
    expect(queryOf(prompt)).toMatchObject({ bool: { must: [{ bool: { minimum_should_match: required } }] } });
  });

  it('does not match numbers fuzzily', () => {
    expect(JSON.stringify(queryOf('2024'))).not.toContain('fuzziness');
  });

  it.each([
    ['500 words', Array.from({ length: 500 }, (_, n) => String.fromCodePoint(0x3041 + (n % 80)) + n).join(' ')],
    ['1,000 ideographs', '東'.repeat(1_000)],
    ['200 excluded words', Array.from({ length: 200 }, (_, n) => `-ab${n}`).join(' ')],
    ['a quotation of 300 words', `"${'word '.repeat(300)}"`],
  ])('uses only the first 100 terms of %s', (_, prompt) => {
    const query = JSON.stringify(queryOf(prompt));
    const terms = [...query.matchAll(/"query":"([^"]*)"/g)].map(
      ([, text = '']) => text.match(/[東\u3041-\u30ff]|ab\d+|word/gu)?.length ?? 0,
    );
    expect(Math.max(0, ...terms)).toBeLessThanOrEqual(100);
    expect(query.match(/combined_fields/g)?.length ?? 0).toBeLessThanOrEqual(100);
  });

  it('uses at most 100 words and 432 fuzzy expansions, so that the query stays within the clause limit', () => {
    const prompt = Array.from({ length: 200 }, (_, n) => `word${'abcdefghij'[n % 10]}${'abcdefghijklmnopqrst'[Math.floor(n / 10)]}`).join(
      ' ',
    );
    expect(parsePrompt(prompt).words).toHaveLength(100);
    const expansions = [...JSON.stringify(queryOf(prompt)).matchAll(/"max_expansions":(\d+)/g)].map(([, count]) => Number(count));
    expect(expansions).toHaveLength(32);
    expect(expansions.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(432);
  });

  it.each([
    [48, true],
    [49, false],
  ])('matches a word of %i letters fuzzily: %p', (letters, isFuzzy) => {
    expect(JSON.stringify(queryOf('x'.repeat(letters))).includes('fuzziness')).toBe(isFuzzy);
  });

  it('matches only the first 32 words fuzzily', () => {
    const words = Array.from({ length: 100 }, (_, position) => `w${'abcdefghij'[position % 10]}${'abcdefghij'[Math.floor(position / 10)]}`);
    expect(JSON.stringify(queryOf(words.join(' '))).match(/fuzziness/g)).toHaveLength(32);
  });

  it('requires a phrase in a short prompt and prefers it in a descriptive one', () => {
    expect(clausesOf('wallpaper "misty harbour"').must).toContainEqual({
      match_phrase: { words: { query: 'misty harbour' } },
    });
    const described = clausesOf('one two three four five six seven eight nine "misty harbour"');
    expect(described.should).toEqual([{ match_phrase: { words: { query: 'misty harbour' } } }]);
    expect(described.must).not.toContainEqual({ match_phrase: { words: { query: 'misty harbour' } } });
  });
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
