import { STOP_WORDS } from '@ugc/text/languages/languages';
import { readFileSync } from 'node:fs';
import { generator, zipf, type Draw } from './random.ts';

/**
 * 4,000 English words, the most frequent ones first: those of the names and descriptions of services/api/demo, which were
 * written for this project. They are kept, so that another demo does not change the benchmark.
 */
export const VOCABULARY = readFileSync(new URL('vocabulary.txt', import.meta.url), 'utf8')
  .trim()
  .split(/\s+/);
/** Without stop words and short words. */
export const CONTENT_WORDS = VOCABULARY.filter((word) => word.length > 2 && !STOP_WORDS.includes(word));
/** Each is in 4 to 30 % of the items. */
export const FREQUENT = CONTENT_WORDS.slice(0, 60);

/** The exponent of the words of a text: the most frequent one is a seventh of all, the first 4,000 are four in five. */
const EXPONENT = 1.1;
const SYLLABLES = ['ka', 'lo', 'mi', 're', 'tu', 'na', 'so', 'vi', 'de', 'pa', 'ro', 'shi', 'ter', 'gan', 'bel', 'qua'];
const LAST_LETTERS = 'bdfgklmnprstvwxz';

export function wordRanks(most: number): Draw {
  return zipf(most, EXPONENT);
}

export function wordOf(rank: number): string {
  return VOCABULARY[rank] ?? rareWord(rank);
}

export function isRare(word: string): boolean {
  return word.length > 8 && !KNOWN.has(word);
}
const KNOWN = new Set(VOCABULARY);

/** The bits are mixed, or these words would begin alike. */
function rareWord(rank: number): string {
  const bits = Math.imul(rank + 1, 2_654_435_761) >>> 0;
  return `${[28, 24, 20, 16].map((shift) => SYLLABLES[(bits >>> shift) & 15]).join('')}${LAST_LETTERS[(bits >>> 12) & 15]}`;
}

/** Every run has the same ones. */
const random = generator(7);
const DISTINCT = 20_000;
const drawRank = wordRanks(DISTINCT);

/** Texts of uploads. */
export function words(count: number): string {
  return Array.from({ length: count }, () => wordOf(drawRank(random, DISTINCT))).join(' ');
}
