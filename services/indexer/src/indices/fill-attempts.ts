import { startFillAttempt, saveFillProgress, undoFillAttempt } from '../targets.ts';
import type { Database } from '@ugc/shared/stores/postgres';

const BATCH = 200;
const AT_FULL_SIZE = 3;

/** Three attempts at a full batch; each further one takes half as many items. */
function batchSize(attempt: number): number {
  return Math.ceil(BATCH / 2 ** Math.max(0, attempt - AT_FULL_SIZE));
}

/**
 * Counts in PostgreSQL the attempts at the next batch of a fill. An attempt that ends in any way but by the end of its process is
 * taken back, so that what remains counts how often the batch has killed its process, and the document that does so is narrowed down.
 */
export class FillAttempts {
  readonly #database: Database;
  readonly #indexName: string;
  #attempt = 0;
  #isUnderWay = false;
  #reducedTaken = 0;

  constructor(database: Database, indexName: string) {
    this.#database = database;
    this.#indexName = indexName;
  }

  async begin(): Promise<void> {
    this.#attempt = await startFillAttempt(this.#database, this.#indexName);
    this.#isUnderWay = true;
  }

  /** How many items to take; 0 when the next item has killed its process also as the only one of its batch. */
  size(): number {
    return batchSize(this.#attempt - 1) === 1 ? 0 : batchSize(this.#attempt);
  }

  /** All items up to this one are settled. */
  async settled(contentId: number): Promise<void> {
    await saveFillProgress(this.#database, this.#indexName, contentId, this.#attemptsLeft());
    this.#isUnderWay = false;
  }

  /** An answer has come, or an error: the process lives. */
  async ended(): Promise<void> {
    if (!this.#isUnderWay) return;
    await undoFillAttempt(this.#database, this.#indexName);
    this.#isUnderWay = false;
  }

  // A batch of twice the size has killed its process: if this half has not, the next batch of this size has the cause, or there is none.
  #attemptsLeft(): number {
    const isReduced = this.size() > 0 && this.size() < BATCH;
    this.#reducedTaken = isReduced ? this.#reducedTaken + 1 : 0;
    return this.#reducedTaken === 1 ? this.#attempt - 1 : 0;
  }
}
