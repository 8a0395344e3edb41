import { isBlank } from '@ugc/text/words/is-blank';

/** A character that no value has: it separates the parts of a key. */
export const SEPARATOR = '\0';

export const BLANK = 'must not be blank: it shows nothing';

/** Text that PostgreSQL and Elasticsearch store unchanged, and that shows something. @returns the first thing that is wrong */
export function problemOfText(text: string, max: number): string | undefined {
  const [problem] = problemsOfText(text, { min: 0, max });
  return problem ?? (isBlank(text) ? BLANK : undefined);
}

/**
 * Text that PostgreSQL and Elasticsearch store unchanged: without U+0000 and without unpaired surrogates.
 *
 * @param limits in Unicode code points, the unit of all limits in characters · @returns everything that is wrong
 */
export function problemsOfText(text: string, { min, max }: { min: number; max: number }): string[] {
  // A code point has at most two UTF-16 units, so this text is too long; the rest of it is not checked.
  if (text.length > 2 * max) return [`must have at most ${max} characters`];
  // A text never has more code points than UTF-16 units, so most texts need not be counted.
  const length = text.length > max ? countCharacters(text) : text.length;
  const checks: [boolean, string][] = [
    [length > max, `must have at most ${max} characters, but has ${length}`],
    [length < min, `must have at least ${min} character${min === 1 ? '' : 's'}`],
    [!text.isWellFormed(), 'must be valid Unicode, but has an unpaired surrogate'],
    [text.includes('\0'), 'must not contain U+0000'],
  ];
  return checks.filter(([applies]) => applies).map(([, problem]) => problem);
}

function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}

/** macOS sends the accents of a letter as characters of their own. */
export function compose(text: string): string {
  return text.normalize('NFC');
}

/** Forms have one of many values on each line. */
export function problemOfLines(text: string): string | undefined {
  return /[\n\r]/.test(text) ? 'must be one line' : undefined;
}
