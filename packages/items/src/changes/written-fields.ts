import { WRITTEN, WRITTEN_FIELDS, type WrittenContent } from '@ugc/shared/contracts/content';
import { toColumn } from '@ugc/shared/postgres/statements';

// Parts of the statements that store, edit, erase, import and export what a user writes.

/** An example is `name, description`. */
export const WRITTEN_COLUMNS = WRITTEN.map(toColumn).join(', ');

/** An example is `name text, description text`. */
export const WRITTEN_DEFINITIONS = WRITTEN.map((field) => `${toColumn(field)} ${WRITTEN_FIELDS[field].type}`).join(', ');

/** The parameters for `writtenValues`, for example `$2::text, $3::text`: `$1` is the statement's own. */
export const WRITTEN_PARAMETERS = WRITTEN.map((field, index) => `$${index + 2}::${WRITTEN_FIELDS[field].type}`).join(', ');

/** The first parameter after those. */
export const AFTER_WRITTEN = `$${WRITTEN.length + 2}`;

/** What a user has written, or a part of it. */
export type Written = { [Field in keyof WrittenContent]?: WrittenContent[Field] | undefined };

/** The values in the order of the parameters. A field without a value is empty. */
export function writtenValues(fields: Written): unknown[] {
  return WRITTEN.map((field) => fields[field] ?? WRITTEN_FIELDS[field].empty);
}

/** The values by column. */
export function writtenRow(fields: Written): Record<string, unknown> {
  const values = writtenValues(fields);
  return Object.fromEntries(WRITTEN.map((field, index) => [toColumn(field), values[index]]));
}
