import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { correctionHeader, explain } from '@ugc/api/search/prompt/explanation';
import type { Interpretation } from '@ugc/api/search/prompt/interpret-prompt';
import { parsePrompt, type Word } from '@ugc/api/search/prompt/parse-prompt';
import { createKnownWords } from '@ugc/api/search/prompt/known-words';
import { textFieldsOf } from '@ugc/api/search/text-fields';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { asWritten } from '../support/search/interpretation.ts';

const KNOWN = { variants: [], proposals: [] };

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
    const { words } = createKnownWords();
    words.set('kettle', KNOWN);
    pass(29_000);
    expect(words.has('kettle')).toBe(true);
    pass(2_000);
    expect(words.has('kettle')).toBe(false);
  });

  it('are limited in number: the word that was seen the longest time ago is forgotten first', () => {
    const { words } = createKnownWords();
    words.set('first', KNOWN);
    words.set('second', KNOWN);
    for (let n = 0; n < 19_999; n += 1) words.set(`word ${n}`, KNOWN);
    words.set('second', KNOWN);
    expect([words.has('first'), words.has('second'), words.has('word 0')]).toEqual([false, true, true]);
  });
});

const word = (text: string): Word => ({ text, kind: 'word', count: 1 });

function interpretation(words: Word[], decided: Partial<Interpretation>): Interpretation {
  return { ...asWritten(parsePrompt('', textFieldsOf({ mappingVersion: MAPPING_VERSION }))), words, ...decided };
}

describe('the header Search-Correction', () => {
  it('is percent-encoded UTF-8, which every HTTP client accepts', () => {
    const words = [word('λιμανη'), word('a&b=c')];
    const replacements = new Map([
      ['λιμανη', 'λιμάνι'],
      ['a&b=c', 'a b'],
    ]);
    const value = correctionHeader(interpretation(words, { replacements }));
    expect(value).toMatch(/^[!-~]+$/);
    expect([...new URLSearchParams(value)]).toEqual([
      ['λιμανη', 'λιμάνι'],
      ['a&b=c', 'a b'],
    ]);
  });

  it('has at most 1 KB, and omits whole changes beyond it', () => {
    const texts = Array.from({ length: 16 }, (_, n) => `${'ж'.repeat(12)}${n}`);
    const replacements = new Map(texts.map((text) => [text, text.replaceAll('ж', 'ш')]));
    const value = correctionHeader(interpretation(texts.map(word), { replacements })) ?? '';
    expect(value.length).toBeLessThanOrEqual(1_024);
    expect([...new URLSearchParams(value)].at(-1)?.map((text) => text.slice(0, 13))).toEqual([`${'ж'.repeat(12)}5`, `${'ш'.repeat(12)}5`]);
  });
});

it('the explanation separates corrected, split and missing words', () => {
  const words = ['lighthuose', 'dicetower', 'qqqq', 'lamp', 'harb'].map(word);
  const replacements = new Map([
    ['lighthuose', 'lighthouse'],
    ['dicetower', 'dice tower'],
  ]);
  const missing = ['lighthuose', 'dicetower', 'qqqq'];
  expect(explain(interpretation(words, { replacements, missing }))).toMatchObject({
    words: ['lighthouse', 'dice tower', 'qqqq', 'lamp', 'harb'],
    corrected: [{ from: 'lighthuose', to: 'lighthouse' }],
    split: [{ from: 'dicetower', to: 'dice tower' }],
    missing: ['qqqq'],
  });
});
