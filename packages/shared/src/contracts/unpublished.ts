import { HIDDEN_AT } from './hidden.ts';

// An item that its creator has not published is a tombstone that keeps its texts, as a hidden one
// (docs/decisions/0052-visibility.md). All of these are SQL; `row` is one of `content`.

export const UNPUBLISHED_KINDS = ['draft', 'unlisted', 'review'] as const;
export type UnpublishedKind = (typeof UNPUBLISHED_KINDS)[number];

/** Whether the creator keeps it out of the lists, whatever moderators do. Costs an item in lists nothing. */
export function rowIsUnpublished(row: string): string {
  return `(${row}.deleted_at = ${HIDDEN_AT} and exists (select from unpublished_content p where p.content_id = ${row}.content_id))`;
}

/** Whether no index has ever had a document of it. */
export function rowWasNeverPublic(row: string): string {
  return `(${row}.deleted_at = ${HIDDEN_AT}
    and exists (select from unpublished_content p where p.content_id = ${row}.content_id and not p.was_public))`;
}

/** The document of an unpublished item is none, or a tombstone: what changes in the item changes nothing in the index. */
export function nextRevision(row: string): string {
  return `case when ${rowIsUnpublished(row)} then ${row}.revision else ${row}.revision + 1 end`;
}

/** Whether anybody with `key` may use the item: it is public, or unlisted with this key, and nobody has hidden it. */
export function rowIsOpen(row: string, key: string): string {
  return `(${row}.deleted_at is null or (${row}.deleted_at = ${HIDDEN_AT}
    and exists (select from unpublished_content p where p.content_id = ${row}.content_id and p.access_key = ${key})
    and not exists (select from hidden_content h where h.content_id = ${row}.content_id)))`;
}
