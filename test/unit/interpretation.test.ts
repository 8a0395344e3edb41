import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { correctionHeader, explain } from '@ugc/api/search/prompt/explanation';
import type { Interpretation, InterpretedWord } from '@ugc/api/search/prompt/interpret-prompt';
import { createKnownWords } from '@ugc/api/search/prompt/vocabulary';
import { textFieldsOf } from '@ugc/api/search/text-fields';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';

describe('known words', () => {
  let nowMs: number;
  const pass = (ms: number): void => {
    nowMs += ms;
    jest.advanceTimersByTime(ms);
  };
  beforeEach(() => {
    nowMs = 1_000;
    jest.useFakeTimers({ doNotFake: ['performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('are forgotten after a short while, so that words of deleted items are corrected again', () => {
    const words = createKnownWords();
    words.set('kettle', true);
    pass(29_000);
    expect(words.has('kettle')).toBe(true);
    pass(2_000);
    expect(words.has('kettle')).toBe(false);
  });

  it('are limited in number: the word that was seen the longest time ago is forgotten first', () => {
    const words = createKnownWords();
    words.set('first', true);
    words.set('second', true);
    for (let n = 0; n < 19_999; n += 1) words.set(`word ${n}`, true);
    words.set('second', true);
    expect([words.has('first'), words.has('second'), words.has('word 0')]).toEqual([false, true, true]);
  });
});

const word = (text: string, fields: Partial<InterpretedWord> = {}): InterpretedWord => ({
  text,
  kind: 'word',
  count: 1,
  occurs: false,
  begins: false,
  replacement: undefined,
  ...fields,
});

const interpretation = (words: InterpretedWord[]): Interpretation => ({
  text: words.map(({ text }) => text).join(' '),
  fields: textFieldsOf({ mappingVersion: MAPPING_VERSION }),
  words,
  pairs: [],
  joins: [],
  dropped: [],
  phrases: [],
  excludedWords: [],
  excludedPhrases: [],
  unfinished: undefined,
  isDescriptive: false,
  isLiteral: false,
  match: 'most',
  required: 1,
});

describe('the header Search-Correction', () => {
  it('is percent-encoded UTF-8, which every HTTP client accepts', () => {
    const value = correctionHeader(interpretation([word('λιμανη', { replacement: 'λιμάνι' }), word('a&b=c', { replacement: 'a b' })]));
    expect(value).toMatch(/^[!-~]+$/);
    expect([...new URLSearchParams(value)]).toEqual([
      ['λιμανη', 'λιμάνι'],
      ['a&b=c', 'a b'],
    ]);
  });

  it('has at most 1 KB, and omits whole changes beyond it', () => {
    const many = Array.from({ length: 16 }, (_, n) => word(`${'ж'.repeat(12)}${n}`, { replacement: `${'ш'.repeat(12)}${n}` }));
    const value = correctionHeader(interpretation(many)) ?? '';
    expect(value.length).toBeLessThanOrEqual(1_024);
    expect([...new URLSearchParams(value)].at(-1)?.map((text) => text.slice(0, 13))).toEqual([`${'ж'.repeat(12)}5`, `${'ш'.repeat(12)}5`]);
  });
});

it('the explanation separates corrected, split and missing words', () => {
  const words = [
    word('lighthuose', { replacement: 'lighthouse' }),
    word('dicetower', { replacement: 'dice tower' }),
    word('qqqq'),
    word('lamp', { occurs: true }),
    word('harb', { begins: true }),
  ];
  expect(explain(interpretation(words))).toMatchObject({
    words: ['lighthouse', 'dice tower', 'qqqq', 'lamp', 'harb'],
    corrected: [{ from: 'lighthuose', to: 'lighthouse' }],
    split: [{ from: 'dicetower', to: 'dice tower' }],
    missing: ['qqqq'],
  });
});
