import type { ErrorDetail } from '../problems/problem.ts';

/**
 * An object of a source. `line`: where it begins, from 1 on. `text`: the object itself, without the end of its last line; undefined
 * if it is too long. `values`: by column, texts, or JSON whose numbers are as they are written: see `exact-json.ts`.
 * `readBytes`: how much of the source was read up to its end.
 */
export type SourceRecord = { line: number; text: string | undefined; readBytes: number; read: ReadRecord };
export type ReadRecord = { values: Values } | { errors: ErrorDetail[] };
export type Values = Record<string, unknown>;

/**
 * `columns`: those of the header; undefined for a source without one. `form`: such as "CSV with ;".
 * `isLines`: whether it is JSON lines, which alone may have the first and the last line of an export.
 */
export type Source = {
  form: string;
  columns: string[] | undefined;
  isLines: boolean;
  records: AsyncIterable<SourceRecord>;
  isPacked: boolean;
};

export function unreadable(detail: string): ReadRecord {
  return { errors: [{ detail }] };
}
