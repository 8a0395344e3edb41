import { WRITTEN } from '@ugc/shared/contracts/content';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import type { Limits } from '../env.ts';
import { badRequest, type ErrorDetail } from '../http/problem.ts';
import type { Thumbnail } from './thumbnail.ts';
import type { Written } from './written-fields.ts';

type Text = { pointer: string; text: string; maxCharacters: number };

/** The searched form of a text may have so many UTF-16 units for each character that the text may have. */
const FOLDED_UNITS_PER_CHARACTER = 2;
/** Ids, counts, dates, the name of the creator and the keys by which names are sorted. */
const OTHER_FIELDS_BYTES = 8_192;

/**
 * Limits what an item costs others: the bytes that it takes in their lists, and the length of its searched texts. A
 * character can take twelve bytes in a list, and be searched as eighteen letters. Only what a request changes is
 * checked: of an item that was stored under a higher limit, `data` and `description` may not become longer.
 * @param before the stored item; undefined for an upload · @throws Problem 400
 */
export function assertWithinLimits(after: Written, before: Written | undefined, limits: Limits): void {
  const errors = [...foldedErrors(after, before, limits), ...sizeErrors(after, before, limits)];
  if (errors.length > 0) throw badRequest('invalid-body', 'The body is not valid.', errors);
}

/** Of a new picture: one that is stored already stays valid, also in an import. @throws Problem 400 */
export function assertAnimation(thumbnail: Thumbnail | null | undefined, { THUMBNAIL_MAX_ANIMATION_PIXELS: limit }: Limits): void {
  const pixels = thumbnail?.animationPixels ?? 0;
  if (limit === 0 || pixels <= limit) return;
  const detail = `has ${pixels} pixels in all of its frames together; the maximum is ${limit}`;
  throw badRequest('invalid-body', 'The body is not valid.', [{ pointer: '#/thumbnail', detail }]);
}

function foldedErrors(after: Written, before: Written | undefined, limits: Limits): ErrorDetail[] {
  const known = new Set(before && searchedTexts(before, limits).map(({ text }) => text));
  const changed = searchedTexts(after, limits).filter(({ text }) => !known.has(text));
  return changed.flatMap(({ pointer, text, maxCharacters }) => {
    const [units, limit] = [NEWEST_RULES.fold(text).length, maxCharacters * FOLDED_UNITS_PER_CHARACTER];
    return units <= limit ? [] : [{ pointer, detail: `is searched as ${units} characters; the maximum is ${limit}` }];
  });
}

function searchedTexts({ name = '', description = '', tags = [] }: Written, limits: Limits): Text[] {
  return [
    { pointer: '#/name', text: name, maxCharacters: limits.NAME_MAX_CHARACTERS },
    { pointer: '#/description', text: description, maxCharacters: limits.DESCRIPTION_MAX_CHARACTERS },
    ...tags.map((text) => ({ pointer: '#/tags', text, maxCharacters: limits.TAG_MAX_CHARACTERS })),
  ];
}

function sizeErrors(after: Written, before: Written | undefined, { ITEM_MAX_BYTES: limit }: Limits): ErrorDetail[] {
  const bytes = itemBytes(after);
  if (bytes <= limit) return [];
  const longer = (['data', 'description'] as const).filter((field) => jsonBytes(after[field] ?? '') > jsonBytes(before?.[field] ?? ''));
  if (before && longer.length === 0 && itemBytes(before) > limit) return [];
  const field = longer[0] ?? 'name';
  return [{ pointer: `#/${field}`, detail: `makes the item ${bytes} bytes of JSON in a list; the maximum is ${limit}` }];
}

function itemBytes(item: Written): number {
  const texts = WRITTEN.flatMap((field) => item[field] ?? []).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + jsonBytes(text), OTHER_FIELDS_BYTES);
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
