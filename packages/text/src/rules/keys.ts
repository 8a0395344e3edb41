import { createHash } from 'node:crypto';
import { LANGUAGES, listed } from '../languages/languages.ts';
import { parseLiteral } from '../words/literals.ts';
import type { TextRules } from './text-rules.ts';

type Fold = { fold: (text: string) => string };

/** A keyword term may have 32,766 bytes. */
export const NAME_KEY_MAX_LENGTH = 300;

/**
 * The key under which a complete name is found, regardless of accents, letter case and blanks. Long names are hashed.
 */
export function nameKey(name: string, rules: Fold): string {
  return shortened(foldName(name, rules));
}

/** Folds a name or a tag, and replaces its blanks by single spaces. */
export function foldName(name: string, { fold }: Fold): string {
  return fold(name).trim().replace(/\s+/g, ' ');
}

/** No folded name begins with it. */
const LOOSE = '\0';

/**
 * The keys under which a name is found without its punctuation and its leading article: that of "Who Stole the Gryphon?"
 * is "who stole the gryphon". Symbols that are meant stay, as in "c++". An apostrophe is a blank, or nothing: "Sailor's
 * Knot" has two keys. @returns none for a name without words
 */
export function looseNameKeys(name: string, rules: Fold): string[] {
  const folded = foldName(name, rules);
  const texts = new Set([' ', ''].map((apostrophe) => namedWords(folded.replaceAll("'", apostrophe)).join(' ')));
  return [...texts].filter((text) => text !== '').map((text) => LOOSE + shortened(text));
}

/** No loose key begins with it. */
const JOINED = '\0\0';

/**
 * The keys under which a name is found however its words are joined: "NumPy", "num-py" and "Num Py" have the same one. What
 * is an article in some language may also begin a word: "lo dash" is "lodash" and "dash".
 */
export function joinedNameKeys(name: string, rules: Fold): string[] {
  const words = foldName(name, rules).replaceAll("'", '').split(' ').flatMap(wordsOf);
  const texts = new Set([words, withoutArticle(words)].map(joinWords));
  return [...texts].filter((text) => text !== '').map((text) => JOINED + shortened(text));
}

function joinWords(words: string[]): string {
  return words.map((word) => (isStrict(word) ? word : word.replaceAll(SIGNS, ''))).join('');
}

const SIGNS = /[^\p{L}\p{M}\p{N}]+/gu;

function isStrict(word: string): boolean {
  return parseLiteral(word)?.strict === true;
}

/** @returns the words without a leading article */
function namedWords(folded: string): string[] {
  return withoutArticle(folded.split(' ').flatMap(wordsOf));
}

function withoutArticle(words: string[]): string[] {
  const [first = '', ...others] = words;
  return others.length > 0 && ARTICLES.has(first) ? others : words;
}

function wordsOf(chunk: string): string[] {
  const literal = parseLiteral(chunk);
  return literal?.strict ? [literal.text] : (chunk.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
}

const ARTICLES = new Set(LANGUAGES.flatMap(({ articles }) => listed(articles)));

/** Whether the key of a name leaves out a folded word with which it begins. */
export const isArticle = (word: string): boolean => ARTICLES.has(word);

function shortened(key: string): string {
  return key.length <= NAME_KEY_MAX_LENGTH ? key : createHash('sha256').update(key).digest('hex');
}

/** Neither a tag nor a folded text contains it, and no character sorts before it. */
const SEPARATOR = '\0';

/** A tag after its folded form, so that tags are found, and sorted, regardless of accents and letter case. */
export function tagKey(tag: string, rules: Pick<TextRules, 'fold'>): string {
  return `${nameKey(tag, rules)}${SEPARATOR}${tag}`;
}

/** @param folded a tag by `foldName` @returns the beginning of the keys of all its spellings */
export function beginningOfTagKeys(folded: string): string {
  return folded + SEPARATOR;
}

/** @returns the tag as it was uploaded */
export function tagOfKey(key: string): string {
  return key.slice(key.indexOf(SEPARATOR) + 1);
}

/** @returns the form in which tags are equal: `nameKey` of the tag */
export function foldedTagOfKey(key: string): string {
  return key.slice(0, key.indexOf(SEPARATOR));
}

// Lucene's longest term has 32,766 bytes. The first 200 characters are enough to sort names.
const SORT_KEY_CHARACTERS = 200;

/** Sorts names as `sortKey`, and without the article with which they begin: "The Cat" comes after "Boat". */
export function nameSortKey(name: string, { fold }: Fold): string {
  return sortKey(fold(name).trim().replace(LEADING_ARTICLE, ''), { fold });
}

const LEADING_ARTICLE = new RegExp(`^(?:(?:${[...ARTICLES].join('|')})\\s+|l')(?=[\\p{L}\\p{N}])`, 'u');

/**
 * Sorts folded texts without regard to the punctuation before the first letter or digit, and numbers by their value:
 * "Chapter 2" comes before "Chapter 10". A text without letters and digits sorts by its symbols.
 */
export function sortKey(text: string, { fold }: { fold: (text: string) => string }): string {
  const folded = fold(text).trim();
  const written = /[\p{L}\p{N}].*/su.exec(folded)?.[0] ?? folded;
  return cut(written.replace(GROUPED, (number) => number.replaceAll(',', '')).replace(/\d+/g, byValue));
}

const GROUPED = /(?<![\d,])\d{1,3}(?:,\d{3})+(?!\d)/g;

/** A number after the count of its digits, so that a longer number sorts after a shorter one: 12 and 210 for 2 and 10. */
function byValue(digits: string): string {
  const number = digits.replace(/^0+(?=\d)/, '');
  const more = number.length - 1;
  return `${'9'.repeat(Math.floor(more / 9))}${more % 9}${number}`;
}

function cut(key: string): string {
  return [...key].slice(0, SORT_KEY_CHARACTERS).join('');
}
