import { describe, expect, it } from '@jest/globals';
import { parsePrompt } from '@ugc/api/search/parse-prompt';
import { buildQuery, buildSort } from '@ugc/api/search/search-query';

type Clauses = { must: unknown[]; should: unknown[]; must_not: unknown[] };
const clausesOf = (prompt: string) => (buildQuery(prompt) as { bool: Clauses }).bool;
const LIVE = { term: { deleted: false } };

describe('a prompt is taken apart', () => {
  it.each([
    ['red bicycle', { words: ['red', 'bicycle'], unfinished: 'bicycle' }],
    ['Red, RED red!', { words: ['red'], unfinished: 'red' }],
    ['"misty harbour" boats', { phrases: ['misty harbour'], words: ['boats'], unfinished: 'boats' }],
    ['boats "misty harbour"', { phrases: ['misty harbour'], words: ['boats'], unfinished: undefined }],
    ['soup -spicy -"very hot"', { words: ['soup'], excluded: ['spicy'], excludedPhrases: ['very hot'], unfinished: undefined }],
    ['"never closed', { words: ['never', 'closed'], unfinished: 'closed' }],
    ['well-known e-mail', { words: ['well-known', 'e-mail'], unfinished: 'e-mail' }],
    ['the art of the garden', { words: ['art', 'garden'], unfinished: 'garden' }],
    ['bread and', { words: ['bread'], unfinished: undefined }],
    ['to be or not to be', { words: ['to', 'be', 'or', 'not'], stopWordsOnly: true, unfinished: undefined }],
    ['*** ( ) - -- "" +', { words: [], phrases: [], excluded: [] }],
    ['🦊 日本語', { words: ['🦊', '日本語'], unfinished: '日本語' }],
  ])('%s', (prompt, expected) => {
    const { words, ...rest } = parsePrompt(prompt);
    expect({ ...rest, words: words.map(({ text }) => text) }).toMatchObject(expected);
  });

  it('counting how often it says a word', () => {
    expect(parsePrompt('tea green tea').words).toEqual([
      { text: 'tea', count: 2 },
      { text: 'green', count: 1 },
    ]);
  });
});

describe('the query', () => {
  it('of no prompt is everything that is not deleted', () => {
    expect(buildQuery('  ')).toEqual({ bool: { filter: [LIVE], must: [], should: [], must_not: [] } });
  });

  it('of symbols only is nothing', () => {
    expect(buildQuery('***')).toMatchObject({ bool: { must: [{ match_none: {} }] } });
  });

  it('of one word takes its forms in any field, its misspellings and its beginnings, in that order of weight', () => {
    expect(buildQuery('lighthouse')).toMatchObject({
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
                          fields: ['name^2', 'tags^1.7', 'description^1.3', 'creatorName^1'],
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
    [1, 'word', 1],
    [2, 'two words', 2],
    [3, 'some more words', 2],
    [9, 'one two three four five six seven eight nine', 1],
  ])('of %i words requires %s', (_count, prompt, required) => {
    expect(buildQuery(prompt)).toMatchObject({ bool: { must: [{ bool: { minimum_should_match: required } }] } });
  });

  it('forgives no typing errors in numbers', () => {
    expect(JSON.stringify(buildQuery('2024'))).not.toContain('fuzziness');
  });

  it.each([
    ['500 words', Array.from({ length: 500 }, (_, n) => String.fromCodePoint(0x3041 + (n % 80)) + n).join(' ')],
    ['1,000 ideographs', '東'.repeat(1_000)],
    ['200 excluded words', Array.from({ length: 200 }, (_, n) => `-ab${n}`).join(' ')],
    ['a quotation of 300 words', `"${'word '.repeat(300)}"`],
  ])('looks at the first hundred terms of %s only', (_, prompt) => {
    const query = JSON.stringify(buildQuery(prompt));
    const looked = [...query.matchAll(/"query":"([^"]*)"/g)].map(
      ([, text = '']) => text.match(/[東\u3041-\u30ff]|ab\d+|word/gu)?.length ?? 0,
    );
    expect(Math.max(0, ...looked)).toBeLessThanOrEqual(100);
    expect(query.match(/combined_fields/g)?.length ?? 0).toBeLessThanOrEqual(100);
  });

  it('looks at the first 100 words only, and tries at most 432 misspellings in all: more clauses can be refused', () => {
    const prompt = Array.from({ length: 200 }, (_, n) => `word${'abcdefghij'[n % 10]}${'abcdefghijklmnopqrst'[Math.floor(n / 10)]}`).join(
      ' ',
    );
    expect(parsePrompt(prompt).words).toHaveLength(100);
    const expansions = [...JSON.stringify(buildQuery(prompt)).matchAll(/"max_expansions":(\d+)/g)].map(([, count]) => Number(count));
    expect(expansions).toHaveLength(32);
    expect(expansions.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(432);
  });

  it.each([
    [48, true],
    [49, false],
  ])('a word of %i letters has its typing errors forgiven: %p', (letters, forgiven) => {
    expect(JSON.stringify(buildQuery('x'.repeat(letters))).includes('fuzziness')).toBe(forgiven);
  });

  it('forgives typing errors in the first 32 words only', () => {
    const words = Array.from({ length: 100 }, (_, position) => `w${'abcdefghij'[position % 10]}${'abcdefghij'[Math.floor(position / 10)]}`);
    expect(JSON.stringify(buildQuery(words.join(' '))).match(/fuzziness/g)).toHaveLength(32);
  });

  it('demands a phrase in a short prompt and prefers it in a description', () => {
    expect(clausesOf('wallpaper "misty harbour"').must).toContainEqual({
      match_phrase: { words: { query: 'misty harbour' } },
    });
    const described = clausesOf('one two three four five six seven eight nine "misty harbour"');
    expect(described.should).toEqual([{ match_phrase: { words: { query: 'misty harbour' } } }]);
    expect(described.must).not.toContainEqual({ match_phrase: { words: { query: 'misty harbour' } } });
  });
});

describe('the sort', () => {
  it.each([
    [
      'is made total by the id, in the direction of the first key',
      [{ field: 'avgRating', direction: 'asc' }],
      'x',
      [{ avgRating: 'asc' }, { contentId: 'asc' }],
    ],
    ['uses the folded keys of texts', [{ field: 'name', direction: 'desc' }], '', [{ nameSort: 'desc' }, { contentId: 'desc' }]],
    ['by relevance is by score', [{ field: 'relevance', direction: 'desc' }], 'x', [{ _score: { order: 'desc' } }, { contentId: 'desc' }]],
    [
      'by relevance is by creation time when there is no prompt',
      [{ field: 'relevance', direction: 'desc' }],
      ' ',
      [{ createdAt: 'desc' }, { contentId: 'desc' }],
    ],
  ] as const)('%s', (_what, keys, prompt, expected) => {
    expect(buildSort([...keys], prompt)).toEqual(expected);
  });
});
