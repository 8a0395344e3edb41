import type { Definition } from '../definition.ts';
import { wrongType, type Checked, type FieldType, type Limits, type Scalar } from '../field-type.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const MIN_MAGNITUDE = 1e-20;
/** Each number that is stored is written so: some have 22 digits after the point. */
const FORM = /^[+-]?\d{1,16}(\.\d+)?(e[+-]?\d{1,2})?$/i;

/** A finite number, whole or not. */
export const number: FieldType = {
  check: (value, definition) =>
    typeof value === 'number' ? limited(value, definition) : wrongType('number', `${ruleOf(definition)}, such as 4`),
  parse: (text, definition) => (FORM.test(text) ? within(Number(text)) : { detail: `${ruleOf(definition)} in decimal notation` }),
  schema: ({ min = -MAX, max = MAX }) => ({ type: 'number', minimum: min, maximum: max }),
  example: '4',
  rangeExample: '>=4, <10 or 4..8',
  index: {
    property: { type: 'double' },
    key: Number,
    range: (limits) => limits,
    term: (value) => sortableHex(Number(value)),
    terms: (limits) => fixedTerms(limits, (value) => sortableHex(Number(value))),
    shown: String,
    shownTerm: (term) => String(fromSortableHex(term)),
  },
};

function limited(value: number, definition: Definition): Checked<Scalar> {
  const { min, max } = definition;
  if (value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return within(value);
  const values = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return { detail: ruleOf(definition), code: 'out-of-range', values };
}

/** A filter may name a number that no value can be. Zeros after the point take bytes in PostgreSQL. */
function within(value: number): Checked<Scalar> {
  if (Math.abs(value) > MAX)
    return { detail: `must be a number from ${-MAX} to ${MAX}`, code: 'out-of-range', values: { min: -MAX, max: MAX } };
  if (value !== 0 && Math.abs(value) < MIN_MAGNITUDE) return { detail: `must be 0 or at least ${MIN_MAGNITUDE} away from it` };
  return { value: Object.is(value, -0) ? 0 : value };
}

function ruleOf({ min, max }: Definition): string {
  if (min !== undefined && max !== undefined) return `must be a number from ${min} to ${max}`;
  if (min !== undefined) return `must be a number of at least ${min}`;
  return max === undefined ? `must be a number from ${-MAX} to ${MAX}` : `must be a number of at most ${max}`;
}

const SIGN = 1n << 63n;
const ALL = (1n << 64n) - 1n;

/** The bits of a double as 16 hexadecimal digits that sort as the numbers do: IEEE 754, with negative numbers inverted. */
function sortableHex(value: number): string {
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n;
  return (bits & SIGN ? bits ^ ALL : bits | SIGN).toString(16).padStart(16, '0');
}

function fromSortableHex(hex: string): number {
  const bits = BigInt(`0x${hex}`);
  return new Float64Array(BigUint64Array.of(bits & SIGN ? bits ^ SIGN : bits ^ ALL).buffer)[0] ?? NaN;
}

/** Of terms that are as long as each other. A term with a further character follows it at once. */
export function fixedTerms({ gt, gte, lt, lte }: Limits, term: (value: Scalar) => string) {
  const after = (value: Scalar | undefined): string | undefined => (value === undefined ? undefined : `${term(value)}\u0001`);
  const at = (value: Scalar | undefined): string | undefined => (value === undefined ? undefined : term(value));
  return { from: at(gte) ?? after(gt), to: at(lt) ?? after(lte) };
}
