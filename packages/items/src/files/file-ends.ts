import { z } from 'zod';

/** The items that an export writes: all of them, or those that each given field allows. `updatedFrom` is a timestamp. */
export type Selection = z.output<typeof Selection>;

const Selection = z.object({ tag: z.string().optional(), updatedFrom: z.string().optional(), after: z.int().optional() });
const First = z.object({ export: Selection });
const Last = z.object({ end: z.object({ lines: z.int().min(0) }) });

/** The first line of an export, which announces the last one, or the last line, which counts those between them. */
export type EndLine = { end: { begin: Selection } | { lines: number } };

/** Announces the last line. `from` and `at` are for people. */
export function firstLine(from: string, at: string, selection: Selection): z.input<typeof First> {
  return { export: { from, at, ...selection } as Selection };
}

export function lastLine(lines: number): z.input<typeof Last> {
  return { end: { lines } };
}

/** @returns undefined for a line that is neither the first nor the last one of an export */
export function readEndLine(parsed: unknown): EndLine | undefined {
  if (typeof parsed !== 'object' || parsed === null || 'externalId' in parsed) return undefined;
  const first = First.safeParse(parsed);
  if (first.success) return { end: { begin: first.data.export } };
  const last = Last.safeParse(parsed);
  return last.success ? last.data : undefined;
}

/**
 * Tells whether a file is cut: it is if a first line is there and its last line is not. A file may consist of several
 * exports: one that ended early, and the one after its last item.
 */
export class FileEnds {
  #isOpen = false;
  #isCut = false;
  #isPart = false;
  #hasEnd = false;
  #lines = 0;
  #lastId: number | undefined;
  /** What the last lines count, where it is not what was read. */
  readonly differences: { counted: number; read: number }[] = [];

  get isCut(): boolean {
    return this.#isCut || this.#isOpen;
  }

  /** Whether all items are there as far as the last line tells, so that those that are not in the file are not there any more. */
  get isWhole(): boolean {
    return this.#hasEnd && !this.isCut && !this.#isPart && this.differences.length === 0;
  }

  addLine(contentId: number | undefined): void {
    this.#lines += 1;
    this.#hasEnd = false;
    this.#lastId = contentId ?? this.#lastId;
  }

  addEnd(end: EndLine['end']): void {
    if ('begin' in end) {
      this.#begin(end.begin);
    } else {
      if (end.lines !== this.#lines) this.differences.push({ counted: end.lines, read: this.#lines });
      this.#isOpen = false;
      this.#hasEnd = true;
    }
    this.#lines = 0;
  }

  #begin({ after, tag, updatedFrom }: Selection): void {
    const continues = this.#isOpen && after !== undefined && after === this.#lastId;
    if (this.#isOpen && !continues) this.#isCut = true;
    if (tag !== undefined || updatedFrom !== undefined || (after !== undefined && !continues)) this.#isPart = true;
    this.#isOpen = true;
  }
}
