import { splitsOf } from '@ugc/text/ways/parts';
import { proposalsIn, propose, type Answers, type Question } from './questions.ts';

/** Of a shorter word, another first letter makes another word. */
const MIN_LENGTH_FOR_FIRST_LETTER = 6;
const MIN_PART_LENGTH = 4;
const MAX_PARTS_PROPOSED = 3;

/** The parts of which a word without its blank consists. */
function partsOf(word: string): string[] {
  return splitsOf(word, MIN_PART_LENGTH).flatMap((parts) => parts.split(' '));
}

/** Which words resemble the parts of these? */
export function proposeLast(words: string[]): Question[] {
  return propose('parts', words.flatMap(partsOf), { max_edits: 1, suggest_mode: 'always', size: MAX_PARTS_PROPOSED });
}

/**
 * @param answers to `proposeLast`, and the words with another first letter
 * @returns what is tried if nothing else is found: another first letter, and two words of which one is misspelt
 */
export function lastFor(word: string, answers: Answers): string[] {
  const isLong = word.length >= MIN_LENGTH_FOR_FIRST_LETTER;
  const ending = word.slice(1);
  const firstLetter = proposalsIn(answers, 'first letter')(word).filter((one) => isLong && one.slice(1) === ending);
  const proposed = proposalsIn(answers, 'parts');
  const split = splitsOf(word, MIN_PART_LENGTH).flatMap((parts) => {
    const [first = '', second = ''] = parts.split(' ');
    return [...proposed(second).map((other) => `${first} ${other}`), ...proposed(first).map((other) => `${other} ${second}`)];
  });
  return [...firstLetter, ...new Set(split)];
}
