import { isNumber, scalarText, valueAt } from './exact-json.ts';
import type { Values } from './record.ts';

/** Constant texts and columns, alternately: `mods/{id}` is `mods/` and the column id. */
export type Template = ({ text: string } | { column: string })[];

const PART = /\{\{|\}\}|\{([^{}]+)\}|[{}]|[^{}]+/g;

/** `{{` and `}}` are braces. @returns what is wrong, for a brace without its other one */
export function parseTemplate(source: string): { template: Template } | { detail: string } {
  const template: Template = [];
  for (const [part, column] of source.matchAll(PART)) {
    if (column !== undefined) template.push({ column: column.trim() });
    else if (part === '{' || part === '}')
      return { detail: `has a brace without its other one: {COLUMN} is a column, and ${part}${part} a brace` };
    else {
      const text = part === '{{' || part === '}}' ? (part[0] ?? '') : part;
      const last = template.at(-1);
      if (last && 'text' in last) last.text += text;
      else template.push({ text });
    }
  }
  return { template };
}

/** @returns the constant text before the first column */
export function constantStart(template: Template): string {
  const [first] = template;
  return first && 'text' in first ? first.text : '';
}

export type Filled = { text: string | undefined } | { detail: string };

/** @param textOf a cell as it counts; `isNumber` of JSON @returns no text if one of the columns is empty */
export function fill(template: Template, values: Values, textOf: (cell: string, isNumber: boolean) => string): Filled {
  let filled = '';
  for (const part of template) {
    if ('text' in part) filled += part.text;
    else {
      const value = valueAt(values, part.column);
      const text = scalarText(value);
      if (text === undefined && value !== undefined && value !== null)
        return { detail: `has a list or an object in ${part.column}; name what is meant in it, such as ${part.column}.name` };
      const cell = textOf(text ?? '', isNumber(value));
      if (cell === '') return { text: undefined };
      filled += cell;
    }
  }
  return { text: filled };
}
