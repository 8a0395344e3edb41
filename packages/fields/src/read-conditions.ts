import { findField, type Definition, type Definitions } from './definition.ts';
import type { Checked, FieldType, Limits, Operator, Scalar } from './field-type.ts';
import { indexedType, typeOf, type ScalarType } from './types/types.ts';
import { describeUnknown, partDefinition } from './values.ts';

/** One value, or a range. */
export type Asked = { value: Scalar } | { limits: Limits };

/**
 * `where`: any of the values of a field. `whereAll`: all of them. `whereNot`: none of them, so that items without a value stay:
 * each condition excludes by itself, since another one must not bring items back.
 */
export type Where = 'where' | 'whereAll' | 'whereNot';

/** What is asked of one field: the conditions on it, or on each part of a group. A field that is no group has the part ''. */
export type Conditions = { field: string; definition: Definition; parts: ReadonlyMap<string, Asked[]> };
export type ConditionError = { condition: string; detail: string };

/**
 * Reads conditions such as `players:>=4`, each split at its first colon. Operators and ranges are of numbers, dates and
 * versions; any other value is compared whole.
 * @returns the conditions that hold together, in the order in which they were given: those on one field, or each that excludes
 */
export function readConditions(
  texts: string[],
  definitions: Definitions,
  where: Where = 'where',
): { conditions: Conditions[] } | { errors: ConditionError[] } {
  const together = new Map<string, Conditions>();
  const errors: ConditionError[] = [];
  for (const condition of texts) {
    const read = readCondition(condition, definitions);
    if ('detail' in read) errors.push({ condition, detail: read.detail });
    else {
      const key = where === 'whereNot' ? condition : read.field;
      together.set(key, withAsked(together.get(key), read, definitions));
    }
  }
  const conditions = [...together.values()];
  errors.push(...conditions.flatMap(problemsOfGroup));
  return errors.length > 0 ? { errors } : { conditions };
}

type Read = { field: string; part: string; asked: Asked };

function withAsked(known: Conditions | undefined, { field, part, asked }: Read, definitions: Definitions): Conditions {
  const definition = definitions.get(field);
  if (!definition) throw new Error(`the field ${field} is not declared`);
  const parts = new Map(known?.parts);
  parts.set(part, [...(parts.get(part) ?? []), asked]);
  return { field, definition, parts };
}

function readCondition(condition: string, definitions: Definitions): Read | { detail: string } {
  if (definitions.size === 0) return { detail: 'must not be given: no fields are declared' };
  const colon = condition.indexOf(':');
  if (colon === -1) return { detail: `must be a field, a colon and a value, such as ${exampleIn(definitions)}` };
  const path = condition.slice(0, colon);
  const found = findField(definitions, path);
  if (!found) return { detail: `"${path.slice(0, 100)}" ${describeUnknown(definitions)}` };
  const { field, part = '', definition } = found;
  if (definition.type === 'group') return { detail: `${field} is a group: name a part, ${partsOf(field, definition)}` };
  const type = typeOf(definition.type);
  if (!type.index) return { detail: `${field} is a text, which prompt searches: it has no values to filter by` };
  const asked = readAsked(condition.slice(colon + 1), definition.type);
  if ('detail' in asked) return { detail: `${path} (${definition.type}) ${asked.detail}; for example ${examplesOf(path, type)}` };
  return { field, part, asked };
}

/** `build.game or build.loader` */
export function partsOf(field: string, { of = {} }: Definition): string {
  return Object.keys(of).map((part) => `${field}.${part}`).join(' or '); // prettier-ignore
}

function examplesOf(path: string, { example, rangeExample }: FieldType): string {
  return `${path}:${example}${rangeExample === undefined ? '' : `, or as a range ${rangeExample}`}`;
}

function exampleIn(definitions: Definitions): string {
  for (const [name, { type, values, of = {} }] of definitions) {
    const [[part, partType] = []] = Object.entries(of);
    if (part !== undefined && partType) return `${name}.${part}:${typeOf(partType).example}`;
    if (type !== 'group' && typeOf(type).index) return `${name}:${values?.[0] ?? typeOf(type).example}`;
  }
  return 'licence:MIT';
}

const OPERATORS: Record<string, Operator> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt' };

function readAsked(text: string, type: ScalarType): Asked | { detail: string } {
  // A filter may ask for what no new item may have: values, min and max are of what is stored.
  const parse = (value: string): Checked<Scalar> => typeOf(type).parse(value, partDefinition(type));
  if (typeOf(type).rangeExample === undefined) return parse(text);
  const [, operator = '', operand] = /^\s*(>=|<=|>|<)(.*)$/s.exec(text) ?? [];
  if (operand !== undefined) return limitsOf(type, [[OPERATORS[operator] ?? 'gte', parse(operand.trim())]]);
  const [from = '', to, ...others] = text.split('..').map((end) => end.trim());
  if (to === undefined) return parse(from);
  const ends: [Operator, string][] = [
    ['gte', from],
    ['lte', to],
  ];
  const given = ends.filter(([, end]) => end !== '');
  if (others.length > 0 || given.length === 0) return { detail: 'must have two dots between the two ends of a range' };
  return limitsOf(
    type,
    given.map(([each, end]) => [each, parse(end)]),
  );
}

function limitsOf(type: ScalarType, ends: [Operator, Checked<Scalar>][]): Asked | { detail: string } {
  const limits: Limits = {};
  for (const [operator, parsed] of ends) {
    if (!('value' in parsed)) return parsed;
    limits[operator] = parsed.value;
  }
  return isEmptyRange(limits, type) ? { detail: 'must have the smaller end of a range first' } : { limits };
}

/** Whether no value can be within the limits. */
export function isEmptyRange(limits: Limits, type: ScalarType): boolean {
  const { from, to } = indexedType(type).terms?.(limits) ?? {};
  return from !== undefined && to !== undefined && from >= to;
}

/** Of the values of the parts of a group: each combination is a key that is searched for. */
const MAX_COMBINATIONS = 128;

/** A key of an entry has one part that sorts. */
function problemsOfGroup({ field, parts, definition }: Conditions): ConditionError[] {
  if (definition.type !== 'group') return [];
  const ranged = [...parts].filter(([, asked]) => asked.some((each) => 'limits' in each)).map(([part]) => `${field}.${part}`);
  if (ranged.length > 1) {
    return [{ condition: ranged.join(', '), detail: `only one part of a group can have a range, and not ${ranged.join(' and ')}` }];
  }
  const combinations = [...parts.values()].reduce((product, asked) => product * asked.length, 1);
  if (combinations <= MAX_COMBINATIONS) return [];
  return [{ condition: field, detail: `has ${combinations} combinations of the values of its parts; the maximum is ${MAX_COMBINATIONS}` }];
}
