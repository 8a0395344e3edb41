import { BLANK, composeUpTo, faultsOfText } from '@ugc/fields/types/texts';
import { inOneLine } from '@ugc/shared/process/terminal';
import { isBlank } from '@ugc/text/words/is-blank';
import { z } from 'zod';
import { coded } from '../problems/error-codes.ts';

// JSON Schema patterns. They express neither unpaired surrogates nor blanks beyond U+FFFF, and no property of Unicode,
// which the regular expressions of many languages lack.
const STORABLE = '^[^\\u0000]*$';
const BLANKS =
  '\\u0001- \\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f' +
  '\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';
const VISIBLE = `^[^\\u0000]*[^\\u0000${BLANKS}][^\\u0000]*$`;

/** `isComposed`: whether the text counts as it is in normalization form NFC. */
type TextLimits = { min: number; max: number; isComposed?: boolean };

const NO_STRING = (issue: { input?: unknown }): string => (issue.input === undefined ? 'is required' : 'must be a string');

/** Text that PostgreSQL and Elasticsearch store unchanged: without U+0000 and without unpaired surrogates. */
export function storableText({ min, max, isComposed = false }: TextLimits) {
  return z
    .string({ error: NO_STRING })
    .check(({ value, issues }) => {
      const text = isComposed ? composeUpTo(value, max) : value;
      for (const { detail: message, ...params } of faultsOfText(text, { min, max })) {
        // No further rule reads a text that is too long: its time may grow faster than the text.
        issues.push({ code: 'custom', message, params, input: value, continue: params.code !== 'too-long' });
      }
    })
    .meta({ minLength: min, maxLength: max, pattern: STORABLE });
}

/** Storable text that shows something. */
export function visibleText({ max, isComposed = false }: Omit<TextLimits, 'min'>) {
  return storableText({ min: 1, max, isComposed })
    .refine((value) => value === '' || !isBlank(value), { error: BLANK, params: coded('blank') })
    .meta({ minLength: 1, maxLength: max, pattern: VISIBLE });
}

/** Visible text in one line: what would end it, reorder it or move a cursor becomes a blank. */
export function lineText({ max }: Pick<TextLimits, 'max'>) {
  return z.string({ error: NO_STRING }).transform(toOneLine).pipe(visibleText({ max }));
}

/** U+0000 stays, and is an error. */
export function toOneLine(text: string): string {
  return text.split('\0').map(inOneLine).join('\0');
}

// What no file name has on some system, and what shows another name than the file gets.
const NO_FILE_NAME = '/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069';
const FILE_NAME = `^([^${NO_FILE_NAME}]*[^${NO_FILE_NAME}${BLANKS}.][^${NO_FILE_NAME}]*|\\.{3,})$`;
const FILE_NAME_MAX = 255;
const FILE_NAME_RULE = 'must be the name of a file: without /, \\ and control characters, and neither . nor ..';

/** The name of a file, without a path. */
export function fileNameText() {
  const pattern = new RegExp(FILE_NAME);
  return visibleText({ max: FILE_NAME_MAX, isComposed: true })
    .refine((value) => isBlank(value) || pattern.test(value), FILE_NAME_RULE)
    .meta({ minLength: 1, maxLength: FILE_NAME_MAX, pattern: FILE_NAME });
}
