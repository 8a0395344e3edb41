import type { Change } from '../documents/bulk.ts';

type Read = (afterContentId: number) => Promise<Change[]>;

/** Reads a batch while the batch before it is written. Revisions make it harmless that an item changes in between. */
export class ReadAhead {
  readonly #read: Read;
  #next: { after: number; changes: Promise<Change[]> } | undefined;

  constructor(read: Read) {
    this.#read = read;
  }

  start(afterContentId: number): void {
    const changes = this.#read(afterContentId);
    // `take` throws it. After an error of the write, nobody waits for it.
    changes.catch(() => undefined);
    this.#next = { after: afterContentId, changes };
  }

  /** Reads the batch now if it has not been started. */
  async take(afterContentId: number): Promise<Change[]> {
    const next = this.#next;
    this.#next = undefined;
    return next?.after === afterContentId ? next.changes : this.#read(afterContentId);
  }
}
