import { nameKey } from './name-key.ts';
import type { TextRules } from './text-rules.ts';

/** Neither a tag nor a folded text contains it, and no character sorts before it. */
const SEPARATOR = '\0';

/** A tag after its folded form, so that tags are found, and sorted, regardless of accents and letter case. */
export function tagKey(tag: string, rules: Pick<TextRules, 'fold'>): string {
  return `${nameKey(tag, rules)}${SEPARATOR}${tag}`;
}

/** @returns the tag as it was uploaded */
export function tagOfKey(key: string): string {
  return key.slice(key.indexOf(SEPARATOR) + 1);
}

/** @returns the form in which tags are equal: `nameKey` of the tag */
export function foldedTagOfKey(key: string): string {
  return key.slice(0, key.indexOf(SEPARATOR));
}
