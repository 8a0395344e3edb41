const fieldNames = new Map<string, string>();

/** @returns for example `contentId` for the column `content_id`; a name without `_` as it is */
export function toFieldName(column: string): string {
  const known = fieldNames.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  fieldNames.set(column, name);
  return name;
}

/** @returns for example `content_id` for the field `contentId` */
export function toColumn(fieldName: string): string {
  return fieldName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
