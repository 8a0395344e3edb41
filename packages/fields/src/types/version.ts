import { wrongType, type Checked, type FieldType, type Limits, type Scalar } from '../field-type.ts';
import { composeUpTo, problemOfText } from './texts.ts';

const MAX_CHARACTERS = 64;
const RULE = `must be a version of at most ${MAX_CHARACTERS} characters`;

/**
 * The version of a program. A leading v does not count, and numbers compare by value. A pre-release comes before its
 * release, and 1.20 before 1.20.0, which is another version. So are 24.4 and 24.04, and 1.20-rc1 and 1.20-RC1, which have the
 * same place in the order: people ask for what they see. What has no such form, as "24w14a", comes after all that have.
 */
export const version: FieldType = {
  check: (value) => (typeof value === 'string' ? parse(value) : wrongType('string', `${RULE}, such as "1.20.4"`)),
  parse,
  schema: () => ({ type: 'string', minLength: 1, maxLength: MAX_CHARACTERS }),
  example: '1.20.4',
  rangeExample: '>=1.20 or 1.20..1.21',
  index: {
    property: { type: 'keyword' },
    key: termOf,
    range: (limits) => {
      const { from, to } = termsOf(limits);
      return { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) };
    },
    term: termOf,
    terms: termsOf,
    shown: shownOf,
    shownTerm: shownOf,
  },
};

/** Control characters separate the parts of a key. The others would be a range in `where`. */

const NO_VERSION = /[\u0000-\u001f\u007f-\u009f]|^[<>]|\.\./;
const RULE_OF_SIGNS = 'must not contain two dots or control characters, nor begin with < or >';

function parse(text: string): Checked<Scalar> {
  const value = composeUpTo(text, MAX_CHARACTERS).trim();
  const problem = problemOfText(value, MAX_CHARACTERS) ?? (NO_VERSION.test(value) ? { detail: RULE_OF_SIGNS } : undefined);
  return problem ?? { value };
}

/** Between the part of a term that sorts and the part that is shown, and what follows all terms with the same first part. */
const [SHOWN, AFTER] = ['\u0001', '\u0002'];

function termOf(value: Scalar): string {
  const shown = withoutV(value);
  return `${versionKey(shown)}${SHOWN}${shown}`;
}

function withoutV(value: Scalar): string {
  return String(value).replace(/^v(?=\d)/i, '');
}

function shownOf(term: string | number): string {
  return String(term).split(SHOWN)[1] ?? '';
}

function termsOf({ gt, gte, lt, lte }: Limits) {
  const at = (value: Scalar | undefined, end: string): string | undefined =>
    value === undefined ? undefined : versionKey(withoutV(value)) + end;
  return { from: at(gte, SHOWN) ?? at(gt, AFTER), to: at(lt, SHOWN) ?? at(lte, AFTER) };
}

// 1.20.4, 1.21-pre1, 1.0.0-rc.2+build, 2.0b1, 1.0.0.RELEASE is none.
const FORM = /^(?<numbers>\d+(?:\.\d+)*)(?<pre>[-~.]?(?:alpha|beta|pre|rc|dev|snapshot|a|b|m)(?![a-z]).*?|-.+?)?(?<build>\+.*)?$/i;
/** The first character of what follows the numbers: a pre-release, nothing, one more number. */
const [PRE, END, NUMBER] = ['1', '2', '3'];
/** The first character of a key. */
const [VERSION, OTHER] = ['0', '1'];

/** @returns the key, by which versions sort bytewise */
export function versionKey(text: string): string {
  const { numbers, pre = '', build = '' } = FORM.exec(text)?.groups ?? {};
  if (numbers === undefined) return OTHER + text;
  const values = numbers.split('.').map(withoutZeros);
  const tail = pre.toLowerCase().replace(/\d+/g, withoutZeros);
  return VERSION + values.map((digits) => NUMBER + sized(digits)).join('') + (tail === '' ? END : PRE + preKey(tail)) + build;
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

function sized(digits: string): string {
  return String(digits.length).padStart(2, '0') + digits;
}

/** Numbers before words, and a pre-release before one with more parts, as in SemVer 2.0, rule 11. */
function preKey(tail: string): string {
  const parts = tail.match(/\d+|[^\d]+/g) ?? [];
  return parts.map((part) => (/^\d/.test(part) ? `1${sized(part)}` : `2${part.replace(/[-~.]/g, '')} `)).join('');
}
