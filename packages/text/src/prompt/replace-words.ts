import type { TextRules } from '../rules/text-rules.ts';
import { foldedWords } from './parse-prompt.ts';

/** Only these are corrected. An invisible character may separate the letters of a word. */
const WORD = /[\p{L}\p{M}\p{Default_Ignorable_Code_Point}]+/gu;

/** @returns the prompt as it is written but for the replaced words */
export function replaceWords(prompt: string, rules: TextRules, replacements: ReadonlyMap<string, string>): string {
  return prompt.replace(/\S+/g, (chunk) => {
    // With another layout of the keyboard, several words are one.
    const whole = foldedWords(chunk, rules).map(({ text }) => text).join(' '); // prettier-ignore
    return replacements.get(whole) ?? chunk.replace(WORD, (word) => replacements.get(rules.fold(word)) ?? word);
  });
}
