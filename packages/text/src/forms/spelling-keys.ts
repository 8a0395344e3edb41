import { composeHangul, isHangul, spellHangul } from '../words/hangul.ts';
import { RUN_WITHOUT_BLANKS, separateWords } from '../words/separate.ts';

// A misspelt word is compared with the words of the index letter by letter. Where terms are no words, or their characters
// no letters, items have a key for it: Korean words by their letters, since a syllable is one character; and the names
// and tags of scripts without blanks as they are written, since the dictionary splits a misspelt one in another way.

export const SPELLING = 'spelling:';
/** No name that is longer is typed. The unit is a UTF-16 code unit. */
const MAX_LENGTH = 48;
/** One syllable resembles too many words. */
const MIN_SYLLABLES = 2;

/** @param word folded; of a script without blanks, also several words as they are written @returns none for other words */
export function spellingKeys(word: string): string[] {
  if (word.length > MAX_LENGTH) return [];
  if (isHangul(word)) return word.length < MIN_SYLLABLES ? [] : [SPELLING + spellHangul(word)];
  return word.replace(RUN_WITHOUT_BLANKS, '') === '' ? [SPELLING + word] : [];
}

/** @returns the folded word of a key */
export function spelledBy(key: string): string {
  return separateWords(composeHangul(key.slice(SPELLING.length)));
}

/** @returns the parts of a text in scripts without blanks, folded but not separated */
export function runsIn(text: string, fold: (text: string) => string): string[] {
  return (text.match(RUN_WITHOUT_BLANKS) ?? []).map((run) => fold(run).replaceAll(' ', ''));
}
