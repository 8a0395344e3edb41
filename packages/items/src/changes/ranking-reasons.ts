import { z } from 'zod';

/** Why an item of a list by relevance or by best is where it is, in the order of the table in docs/api.md. */
export const RANKING_REASONS = {
  id: 'is named by the prompt, by its id',
  name: 'is named by the prompt, by its whole name',
  allWords: 'has all of three to eight words, as they are typed or corrected, or with their English stems',
  writtenWord:
    'has the only word of the prompt, if at most 20 items do, or its number or time, and not just another word with its English stem',
  accent: 'has an accent that is typed',
  wordsInName: 'has all words in its name, as they are typed',
  formsInName: 'has all words in its name, some in another form, in another way, or as a beginning',
  smallWordsInName: 'has all words in its name and words such as "or" beside them, too',
  someWordsInName: 'has all of two or three words, of which one is in at most 20 items, and some in its name',
  adjacentWords: 'has adjacent words of the prompt side by side',
  nearWords: 'has all of two or three words, of which one is in at most 20 items, and two of them within eight words of each other',
} as const;
export type RankingReason = keyof typeof RANKING_REASONS;

const described = Object.entries(RANKING_REASONS).map(([reason, item]) => `\`${reason}\`: it ${item}.`);

/** A text, as the codes of errors: generated clients refuse a value that their enumeration lacks, and later releases may have more. */
export const RankingReason = z
  .string()
  .describe(`What the item has that counts for its place. Later releases may have more. ${described.join(' ')}`)
  .meta({ id: 'RankingReason' });
