import { isUtf8 } from 'node:buffer';
import type { UploadLimits } from '../fields/limits.ts';
import { convert, shown, type Conversion, type Kind } from './convert.ts';
import { isNumber, scalarText, valueAt } from './exact-json.ts';
import { problemOfPath, type FilesBelow } from './files-below.ts';
import type { Entry, EntrySource } from './map-file.ts';
import type { Values } from './record.ts';
import type { Target } from './targets.ts';
import { constantStart, fill, type Template } from './template.ts';

/** `empty`: texts that count as empty cells, such as NULL. */
export type ReadOptions = { conversion: Pick<Conversion, 'zone' | 'decimal'>; empty: string[]; files: FilesBelow; limits: UploadLimits };
/** `value` is undefined if the item has none. */
export type Read = { value: unknown } | { detail: string };

/** Reads what a record has for a field. */
export async function readTarget({ kind, entries }: Target, values: Values, options: ReadOptions): Promise<Read> {
  if (!kind.many) return entries[0] ? readEntryOf(entries[0], kind, values, options) : { value: undefined };
  const list: unknown[] = [];
  for (const entry of entries) {
    const read = readMany(entry, kind, values, options);
    if ('detail' in read) return read;
    list.push(...read.values);
  }
  return { value: list.length === 0 && 'empty' in kind ? kind.empty : list };
}

async function readEntryOf(entry: Entry, kind: Kind, values: Values, options: ReadOptions): Promise<Read> {
  const { source } = entry;
  if ('constant' in source) return { value: source.constant };
  if ('template' in source && source.isFile) return readFile(entry, source.template, kind, values, options);
  const found = textIn({ ...entry, source }, kind, values, options);
  if ('detail' in found) return found;
  return found.text === undefined ? { value: valueOfEmpty(entry, kind) } : converted(found, entry, kind, options);
}

function valueOfEmpty(entry: Entry, kind: Kind): unknown {
  return entry.default === undefined ? kind.empty : entry.default;
}

/** `isNumber`: of JSON, which has a decimal point whatever sign the texts of the file have. */
type Found = { text: string; isNumber: boolean };

function converted({ text, isNumber }: Found, entry: Entry, kind: Kind, { conversion }: ReadOptions): Read {
  if (entry.values && Object.hasOwn(entry.values, text)) return { value: entry.values[text] ?? kind.empty };
  const { date, zone = conversion.zone, decimal = conversion.decimal } = entry;
  return convert(text, kind, { date, zone, decimal: isNumber ? '.' : decimal });
}

type TextEntry = Entry & { source: Exclude<EntrySource, { constant: unknown }> };
type FoundText = Found | { text: undefined } | { detail: string };

/** @returns no text for an empty cell, and for a template of which one is empty */
function textIn(entry: TextEntry, kind: Kind, values: Values, options: ReadOptions): FoundText {
  const { source } = entry;
  if ('template' in source) return textOfTemplate(source.template, entry, kind, values, options);
  const value = valueAt(values, source.column) ?? '';
  const text = scalarText(value);
  if (text !== undefined) return foundIn(cellOf(text, kind, options), isNumber(value));
  // What a program has stored as JSON is the data of an item.
  if (kind.name === 'data') return { text: JSON.stringify(value), isNumber: false };
  return {
    detail: `has ${Array.isArray(value) ? 'a list' : 'an object'} in ${source.column}; name what is meant in it, such as ${source.column}.name`,
  };
}

function cellOf(cell: string, kind: Kind, { empty }: ReadOptions): string {
  const trimmed = cell.trim();
  if (trimmed === '' || empty.includes(trimmed)) return '';
  return kind.name === 'data' ? cell : trimmed;
}

/** The constant texts of a template have the sign before decimals of the map: so do the numbers of JSON within it then. */
function textOfTemplate(template: Template, entry: Entry, kind: Kind, values: Values, options: ReadOptions): FoundText {
  const { decimal = options.conversion.decimal } = entry;
  const filled = fill(template, values, (given, ofJson) => {
    const cell = cellOf(given, kind, options);
    return ofJson && kind.name === 'number' ? cell.replace('.', decimal) : cell;
  });
  return 'detail' in filled ? filled : foundIn(filled.text ?? '', false);
}

function foundIn(text: string, isNumber: boolean): Found | { text: undefined } {
  return text === '' ? { text: undefined } : { text, isNumber };
}

function readMany(entry: Entry, kind: Kind, values: Values, options: ReadOptions): { values: unknown[] } | { detail: string } {
  const texts = textsIn(entry, kind, values, options);
  if ('detail' in texts) return texts;
  if (texts.length === 0) return { values: entry.default === undefined ? [] : [entry.default] };
  const read = texts.map((found) => converted(found, entry, kind, options));
  const wrong = read.find((each) => 'detail' in each);
  return wrong ?? { values: read.flatMap((each) => ('value' in each ? (each.value ?? []) : [])) };
}

/** The texts of a list of JSON, or the parts of a text. */
function textsIn(entry: Entry, kind: Kind, values: Values, options: ReadOptions): Found[] | { detail: string } {
  const { source, split = [] } = entry;
  if ('constant' in source) return [String(source.constant ?? '')].filter((text) => text !== '').map((text) => ({ text, isNumber: false }));
  const value = 'column' in source ? valueAt(values, source.column) : undefined;
  if (Array.isArray(value)) return textsOfList(value, 'column' in source ? source.column : '', split, options.empty);
  const found = textIn({ ...entry, source }, { ...kind, many: false }, values, options);
  if ('detail' in found) return found;
  return found.text === undefined ? [] : partsOf(found, split, options.empty);
}

function textsOfList(list: unknown[], column: string, split: string[], empty: string[]): Found[] | { detail: string } {
  const found: Found[] = [];
  for (const each of list) {
    const text = each === null ? '' : scalarText(each);
    if (text === undefined) return { detail: `has a list of objects; name what is meant in them, such as ${column}.name` };
    found.push(...partsOf({ text, isNumber: isNumber(each) }, split, empty));
  }
  return found;
}

function partsOf({ text, isNumber }: Found, split: string[], empty: string[]): Found[] {
  const parts = split.reduce((all, sign) => all.flatMap((each) => each.split(sign)), [text]).map((part) => part.trim());
  return parts.filter((part) => part !== '' && !empty.includes(part)).map((part) => ({ text: part, isNumber }));
}

/** @returns the folder that a template of files names before its first column: no cell leads out of it */
export function folderOf(template: Template): string {
  const start = constantStart(template);
  return start.slice(0, start.lastIndexOf('/') + 1);
}

async function readFile(entry: Entry, template: Template, kind: Kind, values: Values, options: ReadOptions): Promise<Read> {
  const { files, limits, empty } = options;
  const filled = fill(template, values, (cell) => (empty.includes(cell.trim()) ? '' : cell.trim()));
  if ('detail' in filled) return filled;
  if (filled.text === undefined) return { value: valueOfEmpty(entry, kind) };
  const isPicture = kind.name === 'picture';
  // A character has up to four bytes.
  const maxBytes = isPicture ? limits.THUMBNAIL_MAX_BYTES : 4 * limits.DATA_MAX_CHARACTERS;
  const read = await files.read(filled.text, folderOf(template), maxBytes);
  if ('detail' in read) return read;
  if (isPicture) return { value: read.bytes.toString('base64') };
  return isUtf8(read.bytes)
    ? { value: read.bytes.toString() }
    : { detail: `names the file ${shown(filled.text)}, which is not a text in UTF-8` };
}

/** @returns why a template must not name files; undefined if it may */
export function problemOfFolder(template: Template): string | undefined {
  const folder = folderOf(template);
  const isWhole = template.length === 1 && 'text' in (template[0] ?? {});
  const path = isWhole ? constantStart(template) : `${folder}x`;
  return problemOfPath(path);
}
