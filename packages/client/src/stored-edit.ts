import type { ContentItem } from './generated/types.gen.ts';

type Fields = Pick<ContentItem, 'name' | 'description' | 'version' | 'data' | 'tags'>;

/**
 * Whether an edit without a response is the one that has changed the item: it is as it was before, but for what the edit
 * changes. A thumbnail is not compared.
 */
export function isStoredEdit(changes: { [Field in keyof Fields]?: unknown }, before: Fields, now: Fields): boolean {
  const { name, description, version, data, tags = [] } = before;
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const wanted = { name, description, version, data, tags, ...Object.fromEntries(given) } as Fields;
  return comparable(wanted) === comparable(now);
}

/** The service stores names and tags in the normalization form NFC, and no tag twice. */
function comparable({ name, description, version, data, tags }: Fields): string {
  const stored = new Set((tags ?? []).map((tag) => tag.normalize('NFC')));
  return JSON.stringify([name.normalize('NFC'), description, version, data, [...stored]]);
}
