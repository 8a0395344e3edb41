import { sample, seededRandom, type Random } from './random.ts';

/** Prompts of a person who looks for one document and remembers a part of its title. */
export type KnownItem = {
  id: string;
  /** One to three distinctive words of the title, in its order. */
  clean: string;
  /** The same with one typing error. */
  misspelt: string;
  /** The same with the last word cut to half. */
  unfinished: string;
};

export const VARIANTS = ['clean', 'misspelt', 'unfinished'] as const;

export type Titled = { id: string; title: string; text: string };

const SEED = 12;
/** Shorter words are not used, so that every prompt can be misspelt and cut. */
const WORD = /\p{Script=Latin}{4,}/gu;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const MAX_WORDS = 3;
const UNFINISHED_MIN_LETTERS = 3;

/**
 * Makes prompts from the titles of at most `count` documents, chosen at random. The same documents in the same order
 * give the same prompts. The distinctive words of a title are those that the fewest documents contain.
 */
export function knownItems(documents: Titled[], count: number): KnownItem[] {
  const random = seededRandom(SEED);
  const frequencies = documentFrequencies(documents);
  const withWords = documents.filter(({ title }) => wordsOf(title).length > 0);
  return sample(withWords, count, random).map(({ id, title }) => {
    const words = rarest(wordsOf(title), frequencies, 1 + random(MAX_WORDS));
    return { id, clean: words.join(' '), misspelt: misspellOne(words, random).join(' '), unfinished: cutLast(words).join(' ') };
  });
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(WORD) ?? [])];
}

function documentFrequencies(documents: Titled[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const { title, text } of documents) {
    for (const word of wordsOf(`${title} ${text}`)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  return frequencies;
}

/** Keeps the order of the words. */
function rarest(words: string[], frequencies: Map<string, number>, count: number): string[] {
  const frequencyOf = (word: string): number => frequencies.get(word) ?? 0;
  const chosen = words.toSorted((a, b) => frequencyOf(a) - frequencyOf(b)).slice(0, count);
  return words.filter((word) => chosen.includes(word));
}

function misspellOne(words: string[], random: Random): string[] {
  const misspelt = random(words.length);
  return words.map((word, position) => (position === misspelt ? misspell(word, random) : word));
}

/** Replaces, inserts, omits or swaps a letter. The first letter stays, because it is rarely wrong. */
function misspell(word: string, random: Random): string {
  const letters = [...word];
  const at = 1 + random(letters.length - 1);
  const [letter = '', next] = letters.slice(at);
  const others = LETTERS.filter((other) => other !== letter);
  const other = others[random(others.length)] ?? '';
  const replacements = [[other], [other, letter], []];
  const edits = replacements.map((replacement) => letters.toSpliced(at, 1, ...replacement));
  if (next !== undefined && next !== letter) edits.push(letters.toSpliced(at, 2, next, letter));
  return (edits[random(edits.length)] ?? letters).join('');
}

function cutLast(words: string[]): string[] {
  const letters = [...(words.at(-1) ?? '')];
  const kept = Math.max(Math.floor(letters.length / 2), UNFINISHED_MIN_LETTERS);
  return [...words.slice(0, -1), letters.slice(0, kept).join('')];
}
