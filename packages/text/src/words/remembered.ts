const ENTRY_BYTES = 100;

/** About what a text takes in memory. */
export function textBytes({ length }: string): number {
  return 24 + 2 * length;
}

/** @returns a copy: a text that was cut out of a longer one keeps the longer one in memory */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/**
 * Results by text, as long as they take at most `maxBytes` together; then all are forgotten. Others choose the texts, so
 * bytes are counted: a text of 32 characters may have 130 words.
 */
export class Remembered<T> {
  readonly #results = new Map<string, T>();
  readonly #maxBytes: number;
  readonly #bytesOf: (result: T) => number;
  #bytes = 0;

  constructor(maxBytes: number, bytesOf: (result: T) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(text: string): T | undefined {
    return this.#results.get(text);
  }

  /** @param text one that is not known */
  add(text: string, result: T): void {
    this.#bytes += ENTRY_BYTES + textBytes(text) + this.#bytesOf(result);
    if (this.#bytes > this.#maxBytes) this.#forget();
    else this.#results.set(ownText(text), result);
  }

  #forget(): void {
    this.#results.clear();
    this.#bytes = 0;
  }
}
