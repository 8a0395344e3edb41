import type { Database } from '@ugc/shared/postgres/postgres';

export const FULL_BATCH = 2_000;
const ATTEMPTS_AT_FULL_BATCH = 3;

function batchSize(attempt: number): number {
  return Math.ceil(FULL_BATCH / 2 ** Math.max(0, attempt - ATTEMPTS_AT_FULL_BATCH));
}

/**
 * Counts attempts at the next batch of a fill. An attempt that ends, successfully or not, is no longer counted, so the
 * count is the number of times the batch crashed its process. Smaller batches then find the item that causes it. A
 * process that has lost the index lock may still write here: what it has filled is filled, and a name of an index never
 * comes back.
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

  /** Ranges that are written at the same time are one attempt. */
  async begin(): Promise<void> {
    if (this.#isCounted) return;
    this.#isCounted = true;
    try {
      this.#attempt = await this.#count();
    } catch (error) {
      this.#isCounted = false;
      throw error;
    }
  }

  async #count(): Promise<number> {
    const [target] = await this.#database.query<{ attempts: number }>(
      `update index_target set fill_attempts = fill_attempts + 1 where index_name = $1 returning fill_attempts as attempts`,
      [this.#indexName],
    );
    return target?.attempts ?? 1;
  }

  /** Whether no attempt at this batch has crashed the process. */
  isFirst(): boolean {
    return this.#attempt === 1;
  }

  /** Number of items to take; 0 if the next item, alone in its batch, crashed the process. */
  size(): number {
    return batchSize(this.#attempt - 1) === 1 ? 0 : batchSize(this.#attempt);
  }

  async completed(contentId: number): Promise<void> {
    const update = `update index_target set filled_to = $2, fill_attempts = $3 where index_name = $1`;
    await this.#database.query(update, [this.#indexName, contentId, this.#remainingAttempts()]);
    this.#isCounted = false;
  }

  /** The attempt failed or was stopped, but did not crash the process. */
  async undo(): Promise<void> {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    const update = `update index_target set fill_attempts = greatest(fill_attempts - 1, 0) where index_name = $1`;
    await this.#database.query(update, [this.#indexName]);
  }

  // A batch of twice this size crashed the process. If this half did not, the item can only be in the next one.
  #remainingAttempts(): number {
    const isSmall = this.size() > 0 && this.size() < FULL_BATCH;
    this.#smallBatches = isSmall ? this.#smallBatches + 1 : 0;
    return this.#smallBatches === 1 ? this.#attempt - 1 : 0;
  }
}
