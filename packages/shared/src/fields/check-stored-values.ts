import type { Definitions } from '@ugc/fields/definition';
import { outside, unfitting, type Values } from '@ugc/fields/values';
import { rowIsKept } from '../contracts/hidden.ts';
import type { Query } from '../postgres/postgres.ts';

/**
 * How many items do not fit definitions, by field. `unfitting`: their value is not indexed. `outside`: it is, though `values`,
 * `min` or `max` do not allow it. `lacking`: they lack a required one.
 */
export type StoredCheck = { items: number } & Record<'unfitting' | 'outside' | 'lacking', Map<string, number>>;

const SLICE_ITEMS = 1_000;
const SLICE = `select content_id, fields from content where content_id > $1 and ${rowIsKept('content')} order by content_id limit ${SLICE_ITEMS}`;

/**
 * Reads the values of all items that are not deleted, in the order of their ids.
 * @param progress gets the id that is read, and the last one; what it throws ends the check
 */
export async function checkStoredValues(
  { query }: { query: Query },
  definitions: Definitions,
  progress: (contentId: number, lastId: number) => void,
): Promise<StoredCheck> {
  const found: StoredCheck = { items: 0, unfitting: new Map(), outside: new Map(), lacking: new Map() };
  const [{ last } = { last: null }] = await query<{ last: number | null }>('select max(content_id) as last from content');
  for (let after: number | undefined = 0; after !== undefined && definitions.size > 0;) {
    progress(after, last ?? 0);
    const rows: { contentId: number; fields: Values }[] = await query(SLICE, [after]);
    for (const { fields } of rows) checkOne(fields, definitions, found);
    after = rows.at(-1)?.contentId;
  }
  return found;
}

function checkOne(values: Values, definitions: Definitions, found: StoredCheck): void {
  found.items += 1;
  for (const name of unfitting(values, definitions)) increase(found.unfitting, name);
  for (const name of outside(values, definitions)) increase(found.outside, name);
  for (const [name, { required }] of definitions) if (required && !Object.hasOwn(values, name)) increase(found.lacking, name);
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
