const RECENT_MS = 1_000;

type RecentUser = { userId: number; atMs: number };

/** Reports whether other users have sent requests recently. Storing the two most recent users is sufficient. */
export class RecentUsers {
  #latest: RecentUser = { userId: NaN, atMs: -Infinity };
  #previous: RecentUser = this.#latest;

  record(userId: number): void {
    if (this.#latest.userId !== userId) this.#previous = this.#latest;
    this.#latest = { userId, atMs: performance.now() };
  }

  hasOthersThan(userId: number): boolean {
    return [this.#latest, this.#previous].some((user) => user.userId !== userId && performance.now() - user.atMs < RECENT_MS);
  }
}
