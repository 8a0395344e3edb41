import type { ContentItem } from './generated/types.gen.ts';

type Fields = Pick<ContentItem, 'name' | 'description' | 'version' | 'data' | 'tags' | 'fields' | 'fileName' | 'visibility' | 'publishAt'>;
type Given = { [Field in keyof Fields]?: unknown };

/** What an item is read with to compare it with an edit. A service of 1.0.0 refuses `fields`. */
export function includedFor({ fields, fileName }: Given): ('tags' | 'fields' | 'fileName')[] {
  return ['tags', ...(fields === undefined ? [] : ['fields' as const]), ...(fileName === undefined ? [] : ['fileName' as const])];
}

/**
 * Whether an edit without a response is the one that has changed the item: it is as it was before, but for what the edit
 * changes. A thumbnail is not compared. Of the name of the file, of declared fields and of who sees the item, what the edit
 * names is: an item was read without them.
 */
export function isStoredEdit(changes: Given, before: Fields, now: Fields): boolean {
  const { name, description, version, data, tags = [] } = before;
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const wanted = { name, description, version, data, tags, ...Object.fromEntries(given) } as Fields;
  return (
    comparable(wanted) === comparable(now) && hasFileName(now, changes) && isSeenAs(now, changes) && hasFields(now.fields, changes.fields)
  );
}

function hasFileName({ fileName: stored = null }: Fields, { fileName }: Given): boolean {
  return fileName === undefined || (typeof fileName === 'string' ? fileName.normalize('NFC') : fileName) === stored;
}

/** An item that is to be public or unlisted may wait for a review. Null says nothing, but for the time, which it removes. */
function isSeenAs({ visibility: stored = 'public', publishAt: storedAt }: Fields, { visibility, publishAt }: Given): boolean {
  const isSeen = (visibility ?? stored) === stored || (visibility !== 'draft' && stored === 'review');
  if (publishAt === undefined) return isSeen;
  return isSeen && (publishAt === null ? storedAt === undefined : Date.parse(String(publishAt)) === Date.parse(storedAt ?? ''));
}

/** The service stores names and tags in the normalization form NFC, and no tag twice. */
function comparable({ name, description, version, data, tags }: Fields): string {
  const stored = new Set((tags ?? []).map((tag) => tag.normalize('NFC')));
  return JSON.stringify([name.normalize('NFC'), description, version, data, [...stored]]);
}

/**
 * @param fields of the item; undefined where no fields are declared, which ignores those of an edit
 * @param changes a merge patch
 */
function hasFields(fields: Fields['fields'], changes: unknown): boolean {
  if (!fields || typeof changes !== 'object' || changes === null) return true;
  return Object.entries(changes).every(([name, value]) => value === undefined || storedForm(value) === storedForm(fields[name]));
}

/** The service stores one of many values as a list, and no list without values, nor a value of a list twice. */
function storedForm(value: unknown): string {
  const values = new Set([value ?? []].flat().map(storedValue));
  return JSON.stringify([...values]);
}

/** Texts in the form NFC, versions without blanks around them, and the parts of an entry in the order of their names. */
function storedValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.normalize('NFC').trim());
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([part, of]) => [part, storedValue(of)]);
  return JSON.stringify(parts.sort());
}
