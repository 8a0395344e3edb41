import { parseTime } from '../fields/times.ts';
import { toNumber } from './convert.ts';
import { toTime } from './dates.ts';

/**
 * What the texts of a column are. `forms`: of dates; several if the texts have each of them. `plain`: of dates as an upload has
 * them, whether some have a time, which a declared field has not.
 */
export type Described =
  { type: 'number' | 'flag' | 'keyword' | 'text' | 'empty' } | { type: 'date'; forms: string[]; plain?: 'day' | 'time' };

/** Groups of forms: those of one group read one text as different days. */
const FORMS = [
  ['iso'],
  ['sql'],
  ...['', ' H:mm', ' H:mm:ss'].flatMap((time) => [
    [`d.M.yyyy${time}`],
    [`d/M/yyyy${time}`, `M/d/yyyy${time}`],
    [`d-M-yyyy${time}`],
    [`yyyy/M/d${time}`],
    [`MMM d yyyy${time}`],
    [`MMM d, yyyy${time}`],
    [`d MMM yyyy${time}`],
  ]),
  ['EEE, d MMM yyyy H:mm:ss ZZZ'],
];
/** Seconds and milliseconds from 1973 to 2096. */
const UNIX: [form: string, pattern: RegExp][] = [
  ['unix', /^[1-3]\d{8,9}(\.\d+)?$/],
  ['unix-ms', /^[1-3]\d{11,12}$/],
];
const PAIRS = [['true', 'false'], ['yes', 'no'], ['y', 'n'], ['1', '0'], ['ja', 'nein'], ['oui', 'non'], ['si', 'no'], ['sí', 'no'], ['sim', 'não'], ['はい', 'いいえ']]; // prettier-ignore
const KEYWORDS_MAX = 20;
const KEYWORD_MAX_CHARACTERS = 60;

/** @param texts of the column, without empty ones */
export function describeColumn(texts: string[], decimal: '.' | ','): Described {
  if (texts.length === 0) return { type: 'empty' };
  if (flagWords(texts)) return { type: 'flag' };
  const date = describeDates(texts);
  if (date) return date;
  if (texts.every((text) => toNumber(text, decimal) !== undefined)) return { type: 'number' };
  const distinct = new Set(texts).size;
  const isKeyword = distinct <= KEYWORDS_MAX && texts.every((text) => text.length <= KEYWORD_MAX_CHARACTERS);
  return { type: isKeyword && (distinct < texts.length || texts.length < 3) ? 'keyword' : 'text' };
}

function describeDates(texts: string[]): Described | undefined {
  if (texts.every((text) => !Number.isNaN(parseTime(text))))
    return { type: 'date', forms: ['iso'], plain: texts.some((text) => text.includes('T')) ? 'time' : 'day' };
  const [unix] = UNIX.find(([, pattern]) => texts.every((text) => pattern.test(text))) ?? [];
  if (unix !== undefined) return { type: 'date', forms: [unix] };
  // A number such as 2019 or 20190401 is a date of ISO 8601 too.
  if (texts.some((text) => /^\d+$/.test(text))) return undefined;
  const fits = (form: string): boolean => texts.every((text) => toTime(text, [form], 'utc') !== undefined);
  const forms = FORMS.map((group) => group.filter(fits)).find((group) => group.length > 0);
  return forms && { type: 'date', forms };
}

/** @returns the words for true and false; undefined if the texts have others. One word alone may be anything, but for those of programs. */
export function flagWords(texts: string[]): { yes: string; no: string } | undefined {
  const words = new Set(texts.map((text) => text.toLowerCase()));
  const [yes, no] = PAIRS.find((pair) => [...words].every((word) => pair.includes(word))) ?? [];
  if (yes === undefined || no === undefined || (words.size < 2 && yes !== 'true')) return undefined;
  return { yes, no };
}

/** @returns the sign before decimals, by the texts that are numbers with one of the two only */
export function decimalSign(texts: string[], separator: string | undefined): '.' | ',' {
  const only = (one: '.' | ',', other: '.' | ','): number =>
    texts.filter((text) => toNumber(text, one) !== undefined && toNumber(text, other) === undefined).length;
  const [points, commas] = [only('.', ','), only(',', '.')];
  // Programs whose numbers have a comma separate cells by semicolons.
  if (points === commas) return separator === ';' && texts.some((text) => /^\d{1,3}\.\d{3}$/.test(text)) ? ',' : '.';
  return commas > points ? ',' : '.';
}
