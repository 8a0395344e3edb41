import type { ErrorDetail } from '../problems/problem.ts';
import type { Rejected } from './batches.ts';

/** `column`: those of the source that a map has made the field of. */
export type LocatedError = ErrorDetail & { column?: string };

/** `text`: the line itself, or the record that a map has made it of, unless it is too long. */
export type ReportedLine = { line: number; externalId: string | undefined; errors: LocatedError[]; text: string | undefined };

export function reportOf({ number, externalId, errors, bytes, origin }: Rejected): ReportedLine {
  const located = errors.map((error) => {
    const column = origin?.columnOf(error.pointer);
    return column === undefined ? error : { ...error, column };
  });
  return { line: number, externalId, errors: located, text: origin ? origin.text : bytes && textOf(bytes) };
}

/** Details of errors may contain texts of the lines: they must not take memory without end. */
const REASONS_MAX = 1_000;

const VALUES = /-?\d[\d.]*|"[^"]*"/g;

export type Reason = { reason: string; lines: number };

/** Counts why lines are rejected. Reasons that differ in their values only are one. */
export class Reasons {
  readonly #counts = new Map<string, Reason>();

  add(errors: LocatedError[]): void {
    const reasons = errors.map(({ pointer, detail, column }) =>
      [pointer, column === undefined ? undefined : `(column ${column})`, detail].filter((part) => part !== undefined).join(' '),
    );
    // A line may have the same error at several places.
    for (const [key, reason] of new Map(reasons.map((each) => [each.replace(VALUES, '0'), each]))) {
      const known = this.#counts.get(key);
      if (known) known.lines += 1;
      else if (this.#counts.size < REASONS_MAX) this.#counts.set(key, { reason, lines: 1 });
    }
  }

  commonest(count: number): Reason[] {
    return [...this.#counts.values()].toSorted((one, other) => other.lines - one.lines).slice(0, count);
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const WINDOWS_1252 = new TextDecoder('windows-1252');

/** @returns the line, so that it can be mended; bytes that are not UTF-8 are most likely the encoding of Windows */
export function textOf(bytes: Buffer): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return WINDOWS_1252.decode(bytes);
  }
}
