import { z } from 'zod';

/** The items that an export writes: all of them, or those that each given field allows. */
export type Selection = { after?: number | undefined };

const First = z.object({ export: z.object({ after: z.int().optional() }) });
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
  #lines = 0;
  #lastId: number | undefined;
  /** What the last lines count, where it is not what was read. */
  readonly differences: { counted: number; read: number }[] = [];

  get isCut(): boolean {
    return this.#isCut || this.#isOpen;
  }

  addLine(contentId: number | undefined): void {
    this.#lines += 1;
    this.#lastId = contentId ?? this.#lastId;
  }

  addEnd(end: EndLine['end']): void {
    if ('begin' in end) {
      const continues = end.begin.after !== undefined && end.begin.after === this.#lastId;
      if (this.#isOpen && !continues) this.#isCut = true;
      this.#isOpen = true;
    } else {
      if (end.lines !== this.#lines) this.differences.push({ counted: end.lines, read: this.#lines });
      this.#isOpen = false;
    }
    this.#lines = 0;
  }
}
