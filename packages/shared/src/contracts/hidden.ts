// A hidden item is a tombstone that keeps its texts (docs/decisions/0045-hidden-items.md). All of these are SQL.

/** The `deleted_at` of a hidden item: what reads items that are not deleted does not read it, and no purge removes it. */
export const HIDDEN_AT = `'infinity'`;

/** Whether a moderator or a block has hidden it. @param row has the `content_id` of an item */
export function rowIsHidden(row: string): string {
  return `exists (select from hidden_content h where h.content_id = ${row}.content_id)`;
}

/** Whether an item is not deleted; it may be hidden, or not published. @param row of `content` */
export function rowIsKept(row: string): string {
  return `(${row}.deleted_at is null or ${row}.deleted_at = ${HIDDEN_AT})`;
}
