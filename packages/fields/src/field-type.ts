import type { estypes } from '@elastic/elasticsearch';
import type { Definition } from './definition.ts';

/** A value that is stored: of a scalar type a text, a number or a boolean; of a group one entry. */
export type Scalar = string | number | boolean;

/** What is wrong with a value, and what would be right: for people, and for programs if there is a code for it. */
export type Fault = { detail: string; code?: FaultCode; values?: Record<string, number | string> };
type FaultCode = 'required' | 'blank' | 'wrong-type' | 'out-of-range' | 'too-short' | 'too-long' | 'too-many' | 'too-large' | 'not-one-of';

export type Checked<Value> = { value: Value } | Fault;

/** @param expected the name of the type, for programs */
export function wrongType(expected: string, detail: string): Fault {
  return { detail, code: 'wrong-type', values: { expected } };
}

/** One end of a range, in the order of the values. */
export type Operator = 'gt' | 'gte' | 'lt' | 'lte';

/** What a `where` of a single value or of a range asks. A value is in its normal form. */
export type Limits = Partial<Record<Operator, Scalar>>;

/**
 * What one type of scalar value is. Nothing else distinguishes types: a new one is a value of this type in `types/types.ts`.
 * The index has a value as `key`, in a property of the type; entries of a group have it as `term`.
 */
export type FieldType = {
  /** @returns the normal form that is stored */
  check(value: unknown, definition: Definition): Checked<Scalar>;
  /** Reads a value of `where`, and of a tag that an import turns into a value. */
  parse(text: string, definition: Definition): Checked<Scalar>;
  /** Of the OpenAPI document. */
  schema(definition: Definition): Record<string, unknown>;
  /** A value of `where`, for errors and documents. */
  example: string;
  /** The further forms of `where`, for errors; undefined for a type without ranges. */
  rangeExample?: string;
  /** Undefined for a type that is only searched. */
  index?: IndexedType;
};

export type IndexedType = {
  property: estypes.MappingProperty;
  /** The value as the property compares it: equal values have the same key. */
  key(value: Scalar): string | number;
  /** The range of the keys, for types with ranges. */
  range?(limits: Limits): estypes.QueryDslRangeQuery;
  /** A text that sorts as the values do, bytewise, without U+0000. It is the key of the property, where that is a text. */
  term(value: Scalar): string;
  /** The range of the terms: the ends of the texts between them, `from` included and `to` not; undefined for an open end. */
  terms?(limits: Limits): { from: string | undefined; to: string | undefined };
  /** The order of a list, where it is not that of the keys. */
  order?: { property: estypes.MappingProperty; key(value: Scalar, fold: (text: string) => string): string };
  /** The value that has a key, as `where` takes it. */
  shown(key: string | number): string;
  /** The same for a term. */
  shownTerm(term: string): string;
};
