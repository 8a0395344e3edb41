import { isDatabaseOutage } from '@ugc/shared/stores/postgres';

/**
 * Lets changes of one item's counters go one after the other. They would wait for its row anyway; waiting here, a hot item holds one
 * connection of the pool instead of all.
 */
export class PerItemQueue {
  readonly #last = new Map<number, Promise<unknown>>();

  async run<T>(contentId: number, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(contentId) ?? Promise.resolve()).then(work, (error: unknown) => afterFailure(error, work));
    this.#last.set(contentId, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(contentId) === turn) this.#last.delete(contentId);
    }
  }
}

// A database that is away is not waited for by each of them in turn.
function afterFailure<T>(error: unknown, work: () => Promise<T>): Promise<T> {
  if (isDatabaseOutage(error)) throw error;
  return work();
}
