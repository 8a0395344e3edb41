import type { Change } from '../documents/bulk.ts';

/** Reads the ranges after an item that are written at the same time. */
type Read = (afterContentId: number) => Promise<Change[][]>;

/** Reads ranges while those before them are written. Revisions make it harmless that an item changes in between. */
export class ReadAhead {
  readonly #read: Read;
  #next: { after: number; ranges: Promise<Change[][]> } | undefined;

  constructor(read: Read) {
    this.#read = read;
  }

  start(afterContentId: number): void {
    const ranges = this.#read(afterContentId);
    // `take` throws it. After an error of the write, nobody waits for it.
    ranges.catch(() => undefined);
    this.#next = { after: afterContentId, ranges };
  }

  /** Reads the ranges now if this has not been started. */
  async take(afterContentId: number): Promise<Change[][]> {
    const next = this.#next;
    this.#next = undefined;
    return next?.after === afterContentId ? next.ranges : this.#read(afterContentId);
  }
}
