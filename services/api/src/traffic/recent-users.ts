const RECENT_MS = 1_000;

type Seen = { userId: number; atMs: number };

/** Whether a user is the only one who has called lately. Remembers two users, which is enough to tell. */
export class RecentUsers {
  #latest: Seen = { userId: NaN, atMs: -Infinity };
  #other: Seen = this.#latest;

  called(userId: number): void {
    if (this.#latest.userId !== userId) this.#other = this.#latest;
    this.#latest = { userId, atMs: performance.now() };
  }

  hasOthersThan(userId: number): boolean {
    return [this.#latest, this.#other].some((seen) => seen.userId !== userId && performance.now() - seen.atMs < RECENT_MS);
  }
}
