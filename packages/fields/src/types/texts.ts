import { isBlank } from '@ugc/text/words/is-blank';

/** A character that no value has: it separates the parts of a key. */
export const SEPARATOR = '\0';

/** Text that PostgreSQL and Elasticsearch store unchanged, in normalization form NFC. @returns what is wrong with it */
export function problemOfText(text: string, max: number): string | undefined {
  const length = [...text].length;
  if (length > max) return `must have at most ${max} characters, but has ${length}`;
  if (!text.isWellFormed()) return 'must be valid Unicode, but has an unpaired surrogate';
  if (text.includes('\0')) return 'must not contain U+0000';
  return isBlank(text) ? 'must not be blank: it shows nothing' : undefined;
}

/** macOS sends the accents of a letter as characters of their own. */
export function compose(text: string): string {
  return text.normalize('NFC');
}

/** Forms have one of many values on each line. */
export function problemOfLines(text: string): string | undefined {
  return /[\n\r]/.test(text) ? 'must be one line' : undefined;
}
