import * as lists from 'stopword';
import { foldText } from './fold-text.ts';
import { ENGLISH, LANGUAGES } from '../languages/languages.ts';

const LISTS = LANGUAGES.flatMap(({ stopWordLists = [] }) => stopWordLists).map((name) => ({
  name,
  stopWords: new Set((lists as Record<string, string[]>)[name]?.map(foldText)),
}));
const [ENGLISH_LIST] = ENGLISH.stopWordLists ?? [];

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
  const counted = LISTS.map((language) => ({ ...language, count: words.filter((word) => language.stopWords.has(word)).length }));
  const most = Math.max(...counted.map(({ count }) => count));
  const probable = counted.filter(({ name, count }) => name !== ENGLISH_LIST && count >= MIN_RATIO * most);
  return texts.map((text) => text.replace(WORD, (word) => (probable.some(({ stopWords }) => stopWords.has(word)) ? ' ' : word)));
}
