import { WRITTEN_FIELDS } from '@ugc/shared/contracts/content';
import { toColumn } from '@ugc/shared/stores/column-names';

// Parts of the statements that store, edit and erase what a user writes.

type WrittenField = keyof typeof WRITTEN_FIELDS;
const FIELDS = Object.keys(WRITTEN_FIELDS) as WrittenField[];

/** For example `name, description`. */
export const WRITTEN_COLUMNS = FIELDS.map(toColumn).join(', ');

/** The parameters for `writtenValues`, for example `$2::text, $3::text`: `$1` is the statement's own. */
export const WRITTEN_PARAMETERS = FIELDS.map((field, index) => `$${index + 2}::${WRITTEN_FIELDS[field]}`).join(', ');

/** The first parameter after those. */
export const AFTER_WRITTEN = `$${FIELDS.length + 2}`;

/** In the order of the parameters. A field without a value is stored as null. */
export function writtenValues(fields: Partial<Record<WrittenField, unknown>>): unknown[] {
  return FIELDS.map((field) => fields[field]);
}

const EMPTY = { text: `''`, 'text[]': `'{}'` };

/** Assignments that leave nothing of a user's texts. Numbers stay. */
export const ERASE_TEXTS = FIELDS.flatMap((field) => {
  const type = WRITTEN_FIELDS[field];
  return type === 'integer' ? [] : [`${toColumn(field)} = ${EMPTY[type]}`];
}).join(', ');
