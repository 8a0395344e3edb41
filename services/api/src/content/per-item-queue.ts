import { isDatabaseOutage } from '@ugc/shared/stores/postgres-errors';

/** Runs the operations on each item one at a time, so that a hot item uses only one connection of the pool. */
export class PerItemQueue {
  readonly #last = new Map<number, Promise<unknown>>();

  async run<T>(contentId: number, work: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(contentId) ?? Promise.resolve();
    const current = previous.then(work, (error: unknown) => {
      // Otherwise each waiting operation would run into the timeout of the unavailable database, one after the other.
      if (isDatabaseOutage(error)) throw error;
      return work();
    });
    this.#last.set(contentId, current);
    try {
      return await current;
    } finally {
      if (this.#last.get(contentId) === current) this.#last.delete(contentId);
    }
  }
}
