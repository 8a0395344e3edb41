import type { TextRules } from '../rules/text-rules.ts';
import { inOtherLayouts } from '../ways/other-scripts.ts';
import { WITHOUT_BLANKS } from '../words/separate.ts';
import { foldedWords } from './parse-prompt.ts';

const RUN = String.raw`[${WITHOUT_BLANKS}&&[\p{L}\p{M}]]`;
/**
 * Only these are corrected. An invisible character may separate the letters of a word. Letters of scripts without blanks are
 * no word together with others.
 */
const WORD = new RegExp(
  String.raw`(?:${RUN}\p{Default_Ignorable_Code_Point}*)+|[[\p{L}\p{M}\p{Default_Ignorable_Code_Point}]--${RUN}]+`,
  'gv',
);

/** @returns the prompt as it is written but for the replaced words */
export function replaceWords(prompt: string, rules: TextRules, replacements: ReadonlyMap<string, string>): string {
  if (replacements.size === 0) return prompt;
  const longest = Math.max(...Array.from(replacements.keys(), (from) => from.split(' ').length));
  return prompt.replace(/\S+/g, (chunk) => {
    const whole = foldedWords(chunk, rules).map(({ text }) => text).join(' '); // prettier-ignore
    const replacement = replacements.get(whole);
    // With another layout of the keyboard, several words are one, and punctuation is a letter.
    if (replacement !== undefined && inOtherLayouts(chunk.toLowerCase()).includes(replacement)) return replacement;
    const written = chunk.replace(WORD, (word) => replaceIn(word, rules, { replacements, longest }));
    return written === chunk ? (replacement ?? chunk) : written;
  });
}

type Replacing = { replacements: ReadonlyMap<string, string>; longest: number };

/** Also replaces adjacent words of a script without blanks. */
function replaceIn(word: string, { fold }: TextRules, { replacements, longest }: Replacing): string {
  const texts = fold(word).split(' ');
  const written: string[] = [];
  let isReplaced = false;
  for (let at = 0; at < texts.length;) {
    const most = Math.min(longest, texts.length - at);
    const parts = Array.from({ length: most }, (_, n) => texts.slice(at, at + most - n));
    const found = parts.find((part) => replacements.has(part.join(' '))) ?? [];
    written.push(replacements.get(found.join(' ')) ?? texts[at] ?? '');
    isReplaced ||= found.length > 0;
    at += Math.max(found.length, 1);
  }
  return isReplaced ? written.join('') : word;
}
