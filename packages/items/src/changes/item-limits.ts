import type { Definitions } from '@ugc/fields/definition';
import { searchedTexts as searchedValues } from '@ugc/fields/index-fields';
import { typeOf } from '@ugc/fields/types/types';
import { WRITTEN } from '@ugc/shared/contracts/content';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import type { UploadLimits } from '../fields/limits.ts';
import { coded } from '../problems/error-codes.ts';
import type { ErrorDetail } from '../problems/problem.ts';
import type { ItemChange } from './item-rules.ts';
import type { Written } from './written-fields.ts';

/** The limits that rules of items ask. */
export type ItemLimits = Pick<
  UploadLimits,
  'NAME_MAX_CHARACTERS' | 'DESCRIPTION_MAX_CHARACTERS' | 'TAG_MAX_CHARACTERS' | 'ITEM_MAX_BYTES' | 'THUMBNAIL_MAX_ANIMATION_PIXELS'
>;

type Text = { pointer: string; text: string; maxCharacters: number };

/** The searched form of a text may have so many UTF-16 units for each character that the text may have. */
const FOLDED_UNITS_PER_CHARACTER = 2;
/** Ids, counts, dates, the name of the creator and the keys by which names are sorted. */
const OTHER_FIELDS_BYTES = 8_192;
/** Within `fields`: the signs around a name and its value, and the longest number. */
const [OF_A_NAME, OF_A_NUMBER] = [6, 24];

// Rules of what an item costs others: the bytes that it takes in their lists, the length of its searched texts, and what
// its picture costs their browsers. A character can take twelve bytes in a list, and be searched as eighteen letters.

export function animationErrors({ picture }: ItemChange, { THUMBNAIL_MAX_ANIMATION_PIXELS: limit }: ItemLimits): ErrorDetail[] {
  const pixels = picture?.animationPixels ?? 0;
  if (limit === 0 || pixels <= limit) return [];
  return [
    {
      pointer: '#/thumbnail',
      detail: `has ${pixels} pixels in all of its frames together; the maximum is ${limit}`,
      ...coded('too-large', { max: limit, is: pixels }),
    },
  ];
}

export function searchedLengthErrors({ after, before }: ItemChange, limits: ItemLimits, declared: Definitions): ErrorDetail[] {
  const textsIn = (item: Written): Text[] => [...searchedTexts(item, limits), ...searchedFields(item, declared)];
  const known = new Set(before && textsIn(before).map(({ text }) => text));
  const changed = textsIn(after).filter(({ text }) => !known.has(text));
  return changed.flatMap(({ pointer, text, maxCharacters }) => {
    const [units, limit] = [NEWEST_RULES.fold(text).length, maxCharacters * FOLDED_UNITS_PER_CHARACTER];
    return units <= limit
      ? []
      : [
          {
            pointer,
            detail: `is searched as ${units} characters; the maximum is ${limit}`,
            ...coded('too-long', { max: limit, is: units }),
          },
        ];
  });
}

function searchedTexts({ name = '', description = '', tags = [] }: Written, limits: ItemLimits): Text[] {
  return [
    { pointer: '#/name', text: name, maxCharacters: limits.NAME_MAX_CHARACTERS },
    { pointer: '#/description', text: description, maxCharacters: limits.DESCRIPTION_MAX_CHARACTERS },
    ...tags.map((text) => ({ pointer: '#/tags', text, maxCharacters: limits.TAG_MAX_CHARACTERS })),
  ];
}

function searchedFields({ fields = {} }: Written, declared: Definitions): Text[] {
  return [...declared].flatMap(([name, definition]) => {
    if (!definition.searched || definition.type === 'group') return [];
    const maxCharacters = Number(typeOf(definition.type).schema(definition)['maxLength']);
    return searchedValues(fields, new Map([[name, definition]])).map((text) => ({ pointer: `#/fields/${name}`, text, maxCharacters }));
  });
}

/** Of an item that was stored under a higher limit, `data`, `description` and `fields` may not become longer. */
export function sizeErrors({ after, before }: ItemChange, { ITEM_MAX_BYTES: limit }: ItemLimits): ErrorDetail[] {
  const bytes = itemBytes(after);
  if (bytes <= limit) return [];
  const longer = (['data', 'description', 'fields'] as const).filter((field) => valueBytes(after[field]) > valueBytes(before?.[field]));
  if (before && longer.length === 0 && itemBytes(before) > limit) return [];
  const field = longer[0] ?? 'name';
  return [
    {
      pointer: `#/${field}`,
      detail: `makes the item ${bytes} bytes of JSON in a list; the maximum is ${limit}`,
      ...coded('too-large', { max: limit, is: bytes }),
    },
  ];
}

function itemBytes(item: Written): number {
  return WRITTEN.flatMap((field): unknown => item[field] ?? []).reduce<number>((sum, value) => sum + valueBytes(value), OTHER_FIELDS_BYTES);
}

/** Of a text, or of an object; numbers are of a few bytes. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return jsonBytes(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => sum + name.length + OF_A_NAME + (valueBytes(inner) || OF_A_NUMBER), 0);
}

const SHORT_ESCAPES = new Set([...'\b\t\n\f\r"\\'].map((character) => character.charCodeAt(0)));
const [SHORT_ESCAPE_BYTES, UNICODE_ESCAPE_BYTES] = [2, 6];

/**
 * The bytes of a text in the JSON that Elasticsearch returns, without quotation marks. It escapes control characters and,
 * unlike `JSON.stringify`, each half of a surrogate pair. Takes linear time.
 */
export function jsonBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) bytes += bytesOf(text.charCodeAt(at));
  return bytes;
}

function bytesOf(code: number): number {
  if (code < 0x80) {
    if (SHORT_ESCAPES.has(code)) return SHORT_ESCAPE_BYTES;
    return code < 0x20 ? UNICODE_ESCAPE_BYTES : 1;
  }
  if (code < 0x800) return 2;
  return code >= 0xd800 && code <= 0xdfff ? UNICODE_ESCAPE_BYTES : 3;
}
