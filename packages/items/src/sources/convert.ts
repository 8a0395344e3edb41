import type { Definition } from '@ugc/fields/definition';
import { toDay, toTime } from './dates.ts';

/** What a field takes. `many`: a list of it. `empty`: what an empty cell says; undefined if nothing. */
export type Kind = { name: KindName; many?: boolean; empty?: unknown };
export type KindName = 'text' | 'data' | 'picture' | 'number' | 'time' | 'day' | 'flag';

/** `date` is undefined for dates as an upload has them. */
export type Conversion = { date?: string[] | undefined; zone: string; decimal: '.' | ',' };
type Converted = { value: unknown } | { detail: string };

const SHOWN_MAX = 40;

/** Reads a text that is not empty. */
export function convert(text: string, { name }: Kind, { date, zone, decimal }: Conversion): Converted {
  switch (name) {
    case 'number':
      return orElse(toNumber(text, decimal), `must be a number, and not ${shown(text)}${otherDecimal(text, decimal)}`);
    case 'time':
      return date ? orElse(toTime(text, date, zone), noDate(text, date)) : { value: text };
    case 'day':
      return date ? orElse(toDay(text, date, zone), noDate(text, date)) : { value: text };
    case 'flag':
      return orElse(FLAGS.get(text.toLowerCase()), `must be true or false, and not ${shown(text)}; "values" of the map says what that is`);
    case 'text':
    case 'data':
    case 'picture':
      return { value: text };
  }
}

function orElse(value: unknown, detail: string): Converted {
  return value === undefined ? { detail } : { value };
}

export function shown(text: string): string {
  const [json, cut] = [JSON.stringify(text), JSON.stringify(text.slice(0, SHOWN_MAX))];
  return json.length === cut.length ? json : `${cut.slice(0, -1)}…"`;
}

function noDate(text: string, forms: string[]): string {
  return `must be a date as ${forms.join(' or ')}, and not ${shown(text)}`;
}

const FLAGS = new Map(Object.entries({ true: true, yes: true, y: true, 1: true, false: false, no: false, n: false, 0: false }));

/** Between thousands: the other sign of the two, blanks and apostrophes. */
const FORMS = {
  '.': /^[+-]?(\d+|\d{1,3}([,'’ \u00a0\u202f]\d{3})+)(\.\d+)?(e[+-]?\d+)?$/i,
  ',': /^[+-]?(\d+|\d{1,3}([.'’ \u00a0\u202f]\d{3})+)(,\d+)?$/,
};

/** @returns undefined unless the text is a number, with signs between its thousands or without */
export function toNumber(text: string, decimal: '.' | ','): number | undefined {
  if (!FORMS[decimal].test(text)) return undefined;
  const [whole = '', fraction = ''] = decimal === ',' ? text.split(',') : [text.replace(/,/g, '')];
  const plain = decimal === ',' ? `${whole.replace(/\./g, '')}.${fraction || '0'}` : whole;
  const number = Number(plain.replace(/['’ \u00a0\u202f]/g, ''));
  return Number.isFinite(number) ? number : undefined;
}

function otherDecimal(text: string, decimal: '.' | ','): string {
  const other = decimal === '.' ? ',' : '.';
  return toNumber(text, other) === undefined ? '' : `; with "decimal": "${other}" in the map it is ${toNumber(text, other)}`;
}

/** @returns what values of a declared field are read as */
export function kindOf({ type, many }: Pick<Definition, 'type' | 'many'>): Kind {
  const name = type === 'number' || type === 'flag' ? type : type === 'date' ? 'day' : 'text';
  return { name, many, empty: null };
}
