import { foldText } from '@ugc/shared/search-text/fold-text';
import * as lists from 'stopword';

/** The languages that the service knows forms of words in, and Arabic, Persian, Hindi and Indonesian. */
const NAMES = [
  ...(['bul', 'cat', 'ces', 'dan', 'deu', 'ell', 'eng', 'fin', 'fra', 'heb', 'hrv', 'hun', 'ita', 'nld', 'nob', 'pol', 'por'] as const),
  ...(['ron', 'rus', 'slk', 'slv', 'spa', 'swe', 'tur', 'ukr', 'ara', 'fas', 'hin', 'ind'] as const),
];
const LANGUAGES = NAMES.map((name) => ({ name, stopWords: new Set(lists[name].map(foldText)) }));

/** Related languages have many stop words in common. */
const MIN_RATIO = 0.75;
const WORD = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu;

/**
 * The language of an item is the one with most stop words in its texts. The analyzer of the index omits English ones.
 * @param texts of an item, folded
 * @returns the texts without the stop words of their language, or of several if these are alike
 */
export function withoutStopWords(texts: string[]): string[] {
  const words = texts.join('\n').match(WORD) ?? [];
  const counted = LANGUAGES.map((language) => ({ ...language, count: words.filter((word) => language.stopWords.has(word)).length }));
  const most = Math.max(...counted.map(({ count }) => count));
  const probable = counted.filter(({ name, count }) => name !== 'eng' && count > 0 && count >= MIN_RATIO * most);
  return texts.map((text) => text.replace(WORD, (word) => (probable.some(({ stopWords }) => stopWords.has(word)) ? ' ' : word)));
}
