import { startFillAttempt, saveFillProgress, undoFillAttempt } from '../targets.ts';
import type { Database } from '@ugc/shared/stores/postgres';

const FULL_BATCH = 200;
const ATTEMPTS_AT_FULL_BATCH = 3;

/** Three attempts take a full batch; each further attempt takes half as many items. */
function batchSize(attempt: number): number {
  return Math.ceil(FULL_BATCH / 2 ** Math.max(0, attempt - ATTEMPTS_AT_FULL_BATCH));
}

/**
 * Counts attempts at the next batch of a fill in PostgreSQL. An attempt that ends, successfully or not, is no longer
 * counted, so the count is the number of times the batch crashed its process. Smaller batches then find the item that
 * causes it.
 */
export class FillAttempts {
  readonly #database: Database;
  readonly #indexName: string;
  #attempt = 0;
  #isCounted = false;
  #smallBatches = 0;

  constructor(database: Database, indexName: string) {
    this.#database = database;
    this.#indexName = indexName;
  }

  async begin(): Promise<void> {
    this.#attempt = await startFillAttempt(this.#database, this.#indexName);
    this.#isCounted = true;
  }

  /** Number of items to take; 0 if the next item, alone in its batch, crashed the process. */
  size(): number {
    return batchSize(this.#attempt - 1) === 1 ? 0 : batchSize(this.#attempt);
  }

  /** Every item up to this one was written, rejected or left to the outbox. */
  async completed(contentId: number): Promise<void> {
    await saveFillProgress(this.#database, this.#indexName, contentId, this.#remainingAttempts());
    this.#isCounted = false;
  }

  /** Undoes the count: the attempt failed or was stopped, but did not crash the process. */
  async undo(): Promise<void> {
    if (!this.#isCounted) return;
    await undoFillAttempt(this.#database, this.#indexName);
    this.#isCounted = false;
  }

  // A batch of twice this size crashed the process. If this half did not, the item is in the next batch of this size,
  // or there is none.
  #remainingAttempts(): number {
    const isSmall = this.size() > 0 && this.size() < FULL_BATCH;
    this.#smallBatches = isSmall ? this.#smallBatches + 1 : 0;
    return this.#smallBatches === 1 ? this.#attempt - 1 : 0;
  }
}
