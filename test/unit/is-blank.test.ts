import { describe, expect, it } from '@jest/globals';
import { visibleText } from '@ugc/api/http/text';
import { isBlank } from '@ugc/shared/search-text/is-blank';
import { cpuMs } from '../support/jest/cpu-ms.ts';

describe('a text is blank', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \t\r\n\u0085\u00a0\u1680\u2003\u2028\u3000'],
    ['control characters', '\u0001\u001f\u007f\u009f'],
    ['zero-width characters and a byte order mark', '\u200b\u200c\u200d\u2060\ufeff'],
    ['direction marks', '\u061c\u200e\u202e\u2066\u2069'],
    ['soft hyphens and joiners', '\u00ad\u034f\u180e'],
    ['fillers of Hangul', '\u115f\u1160\u3164\uffa0'],
    ['variation selectors and tags', '\ufe0f\u{e0101}\u{e0041}\u{e007f}'],
    ['blanks of Braille, music and Khitan', '\u2800\u{1d159}\u{16fe4}'],
    ['signs of annotations', '\ufff9\ufffb'],
  ])('if it consists of %s', (_, text) => expect(isBlank(text)).toBe(true));

  it.each(['a', ' . ', '\u200ba\u200b', '한', '\u0301', '👍', '👩\u200d🚀', '\u2801', '\u0600', '\u06dd', '\ufffd', '\ue000', '\0'])(
    'but not if it is %j',
    (text) => expect(isBlank(text)).toBe(false),
  );

  it('takes linear time', () => {
    const text = `${'\u200b\u3164'.repeat(500_000)}a`;
    expect(cpuMs(() => void isBlank(text))).toBeLessThan(1_000);
  });

  it('in the pattern of the OpenAPI document too, up to U+FFFF', () => {
    const pattern = new RegExp(visibleText({ max: 1 }).meta()?.['pattern'] as string, 'u');
    for (let code = 1; code <= 0xffff; code += 1) {
      const character = String.fromCharCode(code);
      if (pattern.test(character) === isBlank(character)) throw new Error(`U+${code.toString(16)} differs`);
    }
  });
});
