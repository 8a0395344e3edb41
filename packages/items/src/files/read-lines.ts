/**
 * A line without its end, from number 1 on. `bytes` is undefined if it has more than the maximum; it is not read whole then.
 * `readBytes`: how much of the source was read up to its end.
 */
export type Line = { number: number; bytes: Buffer | undefined; readBytes: number };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads the lines of a file. Memory: one line and one chunk of the source. */
export async function* readLines(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  const line = new UnfinishedLine(maxBytes);
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
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
    return bytes?.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
  }
}
