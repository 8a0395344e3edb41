import { describe, expect, it } from '@jest/globals';
import { sortKey } from '@ugc/indexer/documents/document';

describe('a sort key', () => {
  it.each([
    ['ignores letter case', 'ZEBRA', 'zebra'],
    ['ignores accents, composed or not', 'Éclair E\u0301clair', 'eclair eclair'],
    ['ignores blanks around the text', '  tea ', 'tea'],
  ])('%s', (_what, text, key) => {
    expect(sortKey(text)).toBe(key);
  });

  it('stays far below the longest term that an index takes, whatever the text', () => {
    expect(Buffer.byteLength(sortKey('\uFDFA'.repeat(1_000)))).toBeLessThan(32_766);
  });
});
