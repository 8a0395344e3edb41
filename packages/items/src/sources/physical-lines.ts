import type { Line } from '../files/read-lines.ts';
import { textOf } from '../files/rejections.ts';
import { endOfLine, type LineEnd } from './quotation.ts';

/**
 * A line that was read ahead. `bytesTo`: how many bytes the lines up to its end have, with their line feeds. `inQuotes`: what
 * it is if it begins within quotation marks, once this was asked.
 */
type Ahead = { line: Line; bytes: Buffer | undefined; bytesTo: number; inQuotes?: InQuotes };
/** `cellsBefore` is counted on from line to line, as is the cell of `end`. */
type InQuotes = { cellsBefore: number; end: LineEnd };

/** Each line that is read ahead takes about a kilobyte, also an empty one. */
export const MAX_LINES = 100_000;

/** `lines`: how many more the record has; `cells`: how many begin in these. */
export type RestOfRecord = { state: LineEnd['state']; lines: number; cells: number };

/**
 * The lines of a CSV, which can be looked at before they are taken: what follows a quotation mark without an end are the next
 * records. Each line is looked at once for the end of quotation marks, however many records before it lack that end.
 */
export class PhysicalLines {
  readonly #lines: AsyncIterator<Line>;
  readonly #ahead = new Map<number, Ahead>();
  #next = 0;
  #read = 0;
  #bytesTaken = 0;
  #bytesRead = 0;
  /** All lines from the next one up to this one do not end quotation marks. */
  #stillOpen = 0;
  #cells = 0;

  constructor(lines: AsyncIterable<Line>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async next(): Promise<Line | undefined> {
    await this.#at(this.#next);
    return this.take(1)[0];
  }

  /** @param at 0 for the next line */
  async peek(at: number): Promise<Line | undefined> {
    return (await this.#at(this.#next + at))?.line;
  }

  /** @param count of lines that were looked at */
  take(count: number): Line[] {
    const taken: Line[] = [];
    for (let ahead = this.#ahead.get(this.#next); ahead && taken.length < count; ahead = this.#ahead.get(this.#next)) {
      this.#ahead.delete(this.#next);
      this.#next += 1;
      this.#bytesTaken = ahead.bytesTo;
      taken.push(ahead.line);
    }
    return taken;
  }

  /**
   * Looks for the end of a record that is within quotation marks before the next line. Open: there is none in so many bytes, or
   * in `MAX_LINES`.
   */
  async restOfRecord(separator: string, maxBytes: number): Promise<RestOfRecord> {
    const first = this.#next;
    this.#stillOpen = Math.max(this.#stillOpen, first);
    for (;;) {
      const ahead = await this.#at(this.#stillOpen);
      if (!ahead?.bytes || ahead.bytesTo - this.#bytesTaken > maxBytes || this.#stillOpen - first >= MAX_LINES) break;
      ahead.inQuotes ??= this.#lookAt(ahead.bytes, separator);
      if (ahead.inQuotes.end.state !== 'open') return this.#restUpTo(this.#stillOpen);
      this.#stillOpen += 1;
    }
    return this.#stillOpen === first ? { state: 'open', lines: 0, cells: 0 } : this.#restUpTo(this.#stillOpen - 1);
  }

  #lookAt(bytes: Buffer, separator: string): InQuotes {
    const cellsBefore = this.#cells;
    const end = endOfLine(withoutReturn(textOf(bytes)), separator, { state: 'open', cell: cellsBefore });
    this.#cells = end.cell;
    return { cellsBefore, end };
  }

  #restUpTo(last: number): RestOfRecord {
    const { state, cell } = this.#ahead.get(last)?.inQuotes?.end ?? { state: 'open', cell: 0 };
    const cellsBefore = this.#ahead.get(this.#next)?.inQuotes?.cellsBefore ?? 0;
    return { state, lines: last - this.#next + 1, cells: cell - cellsBefore };
  }

  async #at(index: number): Promise<Ahead | undefined> {
    while (this.#read <= index) {
      const result = await this.#lines.next();
      if (result.done) return undefined;
      const line = result.value;
      const { bytes } = line;
      this.#bytesRead += (bytes?.length ?? 0) + 1;
      this.#ahead.set(this.#read, { line, bytes, bytesTo: this.#bytesRead });
      this.#read += 1;
    }
    return this.#ahead.get(index);
  }
}

export function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
