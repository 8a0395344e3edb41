import { foldText } from '@ugc/shared/search-text/fold-text';

/** The keys of a keyboard whose letters are on the same keys as those of `LAYOUTS`. */
const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
/** What the keys type with the shift key. */
const SHIFTED: Readonly<Record<string, string>> = { '{': '[', '}': ']', ':': ';', '<': ',', '>': '.', '~': '`' };

/** Russian, Ukrainian, Greek, Hebrew, Arabic. A letter of `LATIN` without a letter has a blank. */
const LAYOUTS = [
  'йцукенгшщзхъфывапролджэячсмитьбюё',
  'йцукенгшщзхїфівапролджєячсмитьбюґ',
  ' σερτυθιοπ  ασδφγηξκλ  ζχψωβνμ   ',
  '  קראטוןםפ  שדגכעיחלךף זסבהנמצתץ ',
  'ضصثقفغعهخحجدشسيبلاتنمكطئءؤرﻻىةوزذ',
].map((letters) => [...letters].map((letter) => (letter === 'ﻻ' ? 'لا' : letter)));

const FROM_LATIN = LAYOUTS.map((letters) => new Map([...LATIN].map((key, at) => [key, letters[at]?.trim() ?? ''])));
const TO_LATIN = LAYOUTS.map((letters) => new Map(letters.map((letter, at) => [letter, LATIN.charAt(at)])));

/** Text with keys that have letters in other layouts only. */
export const LETTER_KEYS = /[[\]{};:'<>,.`~]/;
const OF_KEYS = /^[a-z[\]{};:'<>,.`~]*[a-z][a-z[\]{};:'<>,.`~]*$/;
/** Whether a text is in one script. */
const WORD = /^(?:[a-z]+(?:'[a-z]+)?|\p{sc=Cyrillic}+|\p{sc=Greek}+|\p{sc=Hebrew}+|\p{sc=Arabic}+)$/u;

/**
 * @param text in lower case, with its punctuation, on which many layouts have letters
 * @returns the words that the same keys write in another layout, such as `привет` for `ghbdtn`
 */
export function inOtherLayouts(text: string): string[] {
  const keys = [...text].map((key) => SHIFTED[key] ?? key);
  const layouts = (OF_KEYS.test(text) ? FROM_LATIN : TO_LATIN).filter((letters) => keys.every((key) => letters.has(key)));
  const words = layouts.map((letters) => foldText(keys.map((key) => letters.get(key) ?? '').join('')));
  return [...new Set(words)].filter((word) => WORD.test(word));
}
