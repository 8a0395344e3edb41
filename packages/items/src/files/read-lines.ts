import type { ErrorDetail } from '../problems/problem.ts';

/**
 * A line without its end, from number 1 on. `bytes` is undefined if it has more than the maximum; it is not read whole then.
 * `readBytes`: how much of the source was read up to its end. `origin`: of a line that a map has made.
 */
export type Line = { number: number; bytes: Buffer | undefined; readBytes: number; origin?: Origin };

/**
 * What a map has made a line of. `text`: the record itself; undefined if it is too long. `columnOf`: the columns of a field, by
 * the pointer of an error. `rejected`: what is wrong, for a record of which no line can be made.
 */
export type Origin = {
  text: string | undefined;
  columnOf: (pointer: string | undefined) => string | undefined;
  rejected?: { externalId: string | undefined; errors: ErrorDetail[] };
};

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads the lines of a file. Memory: one line and one chunk of the source. @param keepsReturns whether `\r` before the end stays */
export async function* readLines(source: AsyncIterable<Buffer>, maxBytes: number, { keepsReturns = false } = {}): AsyncGenerator<Line> {
  const line = new UnfinishedLine(maxBytes, keepsReturns);
  let [number, readBytes] = [0, 0];
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end));
      yield { number: (number += 1), bytes: line.take(), readBytes: readBytes + end + 1 };
      from = end + 1;
    }
    line.add(chunk.subarray(from));
    readBytes += chunk.length;
  }
  if (line.hasBytes) yield { number: number + 1, bytes: line.take(), readBytes };
}

class UnfinishedLine {
  readonly #maxBytes: number;
  readonly #keepsReturns: boolean;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number, keepsReturns: boolean) {
    this.#maxBytes = maxBytes;
    this.#keepsReturns = keepsReturns;
  }

  get hasBytes(): boolean {
    return this.#length > 0;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else this.#parts.push(part);
  }

  take(): Buffer | undefined {
    const bytes = this.#length > this.#maxBytes ? undefined : Buffer.concat(this.#parts);
    [this.#parts, this.#length] = [[], 0];
    return bytes?.at(-1) === CARRIAGE_RETURN && !this.#keepsReturns ? bytes.subarray(0, -1) : bytes;
  }
}
