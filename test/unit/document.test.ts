import { describe, expect, it } from '@jest/globals';
import { sortKey } from '@ugc/indexer/documents/document';

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
