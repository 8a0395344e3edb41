import type { estypes } from '@elastic/elasticsearch';
import type { Definition, Definitions } from './definition.ts';
import { entryKeys } from './group-keys.ts';
import type { IndexedType, Scalar } from './field-type.ts';
import { indexedType, typeOf } from './types/types.ts';
import { fittingValues, type Entry, type Values } from './values.ts';

/**
 * How the index has declared fields. The name of a property contains all that decides its values, so that a field which is
 * declared otherwise conflicts with nothing, and no index answers for another definition: `fields.number.players`.
 */
export function propertyOf(field: string, definition: Definition): string {
  return `fields.${kindOf(definition)}.${field}`;
}

function kindOf({ type, many, of = {} }: Definition): string {
  return [type, ...Object.entries(of).flat()].join('-') + (many ? 'Many' : '');
}

/** The property of the smallest or the largest value, by which lists are sorted where `propertyOf` cannot. */
function orderPropertyOf(field: string, definition: Definition, end: OrderEnd): string {
  return `fields.${kindOf(definition)}${end === 'first' ? 'First' : 'Last'}.${field}`;
}

type OrderEnd = 'first' | 'last';

/** @returns the properties that a list in this order reads · undefined for a type without an order */
export function sortPropertyOf(field: string, definition: Definition, direction: 'asc' | 'desc'): string | undefined {
  const { type, many } = definition;
  if (type === 'group' || !typeOf(type).index) return undefined;
  if (!many && !indexedType(type).order) return propertyOf(field, definition);
  return orderPropertyOf(field, definition, !many || direction === 'asc' ? 'first' : 'last');
}

type Properties = Record<string, estypes.MappingProperty>;

/** @returns the mapping of the property `fields`; undefined if no field has one */
export function fieldProperties(definitions: Definitions): estypes.MappingProperty | undefined {
  const byKind: Record<string, Properties> = {};
  for (const [path, property] of [...definitions].flatMap(([name, definition]) => propertiesOf(name, definition))) {
    const [, kind = '', name = ''] = path.split('.');
    byKind[kind] = { ...byKind[kind], [name]: property };
  }
  const kinds = Object.entries(byKind).map(([kind, properties]): [string, estypes.MappingProperty] => [
    kind,
    { type: 'object', properties },
  ]);
  return kinds.length === 0 ? undefined : { type: 'object', properties: Object.fromEntries(kinds) };
}

function propertiesOf(name: string, definition: Definition): [string, estypes.MappingProperty][] {
  if (definition.type === 'group') return [[propertyOf(name, definition), { type: 'keyword' }]];
  const index = typeOf(definition.type).index;
  if (!index) return [];
  const ends = (['asc', 'desc'] as const).map((direction) => sortPropertyOf(name, definition, direction) ?? '');
  const order: estypes.MappingProperty = index.order?.property ?? ({ ...index.property, index: false } as estypes.MappingProperty);
  const orders = [...new Set(ends)].filter((path) => path !== propertyOf(name, definition));
  return [[propertyOf(name, definition), index.property], ...orders.map((path): [string, estypes.MappingProperty] => [path, order])];
}

export type IndexedFields = Record<string, Record<string, unknown>>;

/**
 * @param fold makes the key of a text by which lists are sorted
 * @returns what a document has in `fields`, of the values that fit; undefined without any
 */
export function indexedFields(values: Values, definitions: Definitions, fold: (text: string) => string): IndexedFields | undefined {
  const indexed: IndexedFields = {};
  for (const [name, definition] of definitions) {
    if (!Object.hasOwn(values, name)) continue;
    for (const [path, value] of documentValues(name, definition, fittingValues(values[name], definition), fold)) {
      const [, kind = '', field = ''] = path.split('.');
      indexed[kind] = { ...indexed[kind], [field]: value };
    }
  }
  return Object.keys(indexed).length === 0 ? undefined : indexed;
}

function documentValues(
  name: string,
  definition: Definition,
  values: (Scalar | Entry)[],
  fold: (text: string) => string,
): [string, unknown][] {
  const { type, of = {} } = definition;
  if (values.length === 0) return [];
  if (type === 'group') return [[propertyOf(name, definition), [...new Set(values.flatMap((entry) => entryKeys(entry as Entry, of)))]]];
  const index = typeOf(type).index;
  return index ? scalarValues(name, definition, index, values as Scalar[], fold) : [];
}

function scalarValues(
  name: string,
  definition: Definition,
  { key, order }: IndexedType,
  values: Scalar[],
  fold: (text: string) => string,
): [string, unknown][] {
  const path = propertyOf(name, definition);
  const orders = values.map((value) => (order ? order.key(value, fold) : key(value)));
  const ends: [string, Key | undefined][] = [
    [sortPropertyOf(name, definition, 'desc') ?? path, largest(orders)],
    [sortPropertyOf(name, definition, 'asc') ?? path, smallest(orders)],
  ];
  const keys = values.map(key);
  return [...ends.filter(([end]) => end !== path), [path, definition.many ? keys : keys[0]]];
}

type Key = string | number;

function smallest(keys: Key[]): Key | undefined {
  return keys.reduce<Key | undefined>((least, key) => (least === undefined || key < least ? key : least), undefined);
}

function largest(keys: Key[]): Key | undefined {
  return keys.reduce<Key | undefined>((most, key) => (most === undefined || key > most ? key : most), undefined);
}

/** @returns the texts of an item's fields whose words are found, in the order of the definitions */
export function searchedTexts(values: Values, definitions: Definitions): string[] {
  return searchedFields(values, definitions).flatMap(({ texts }) => texts);
}

export function searchedFields(values: Values, definitions: Definitions): { name: string; texts: string[] }[] {
  return [...definitions]
    .filter(([name, { searched }]) => searched && Object.hasOwn(values, name))
    .map(([name, definition]) => ({ name, texts: fittingValues(values[name], definition).map(String) }));
}
