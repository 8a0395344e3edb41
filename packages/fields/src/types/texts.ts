import { isBlank } from '@ugc/text/words/is-blank';
import type { Fault } from '../field-type.ts';

/** A character that no value has: it separates the parts of a key. */
export const SEPARATOR = '\0';

export const BLANK = 'must not be blank: it shows nothing';

/** Text that PostgreSQL and Elasticsearch store unchanged, and that shows something. @returns the first thing that is wrong */
export function problemOfText(text: string, max: number): Fault | undefined {
  const [problem] = faultsOfText(text, { min: 0, max });
  return problem ?? (isBlank(text) ? { detail: BLANK, code: 'blank' } : undefined);
}

/**
 * Text that PostgreSQL and Elasticsearch store unchanged: without U+0000 and without unpaired surrogates.
 *
 * @param limits in Unicode code points, the unit of all limits in characters · @returns everything that is wrong
 */
export function faultsOfText(text: string, { min, max }: { min: number; max: number }): Fault[] {
  // A code point has at most two UTF-16 units, so this text is too long; the rest of it is not checked.
  if (text.length > 2 * max) return [{ detail: `must have at most ${max} characters`, code: 'too-long', values: { max } }];
  // A text never has more code points than UTF-16 units, so most texts need not be counted.
  const length = text.length > max ? countCharacters(text) : text.length;
  const checks: [boolean, Fault][] = [
    [length > max, { detail: `must have at most ${max} characters, but has ${length}`, code: 'too-long', values: { max, is: length } }],
    [
      length < min,
      { detail: `must have at least ${min} character${min === 1 ? '' : 's'}`, code: 'too-short', values: { min, is: length } },
    ],
    [!text.isWellFormed(), { detail: 'must be valid Unicode, but has an unpaired surrogate' }],
    [text.includes('\0'), { detail: 'must not contain U+0000' }],
  ];
  return checks.filter(([applies]) => applies).map(([, fault]) => fault);
}

function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

/** macOS sends the accents of a letter as characters of their own. @param text whose length was checked: see `composeUpTo` */
export function compose(text: string): string {
  return text.normalize('NFC');
}

/** A character of a text in normalization form NFC is at most four others before, each of at most two UTF-16 units. */
const MAX_DECOMPOSED_UNITS = 8;

/**
 * Composing takes quadratic time for hundreds of accents in a row. A text that has more than `max` characters, composed or
 * not, stays as it is.
 */
export function composeUpTo(text: string, max: number): string {
  return text.length > MAX_DECOMPOSED_UNITS * max ? text : compose(text);
}

/** Forms have one of many values on each line. */
export function problemOfLines(text: string): Fault | undefined {
  return /[\n\r]/.test(text) ? { detail: 'must be one line' } : undefined;
}
