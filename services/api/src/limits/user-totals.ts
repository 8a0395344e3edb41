/** A total per user. Users whose total is zero use no memory. */
export class UserTotals {
  readonly #totals = new Map<number, number>();
  #sum = 0;

  add(userId: number, amount: number): void {
    const total = this.of(userId) + amount;
    this.#sum += amount;
    if (total > 0) this.#totals.set(userId, total);
    else this.#totals.delete(userId);
  }

  of(userId: number): number {
    return this.#totals.get(userId) ?? 0;
  }

  get sum(): number {
    return this.#sum;
  }

  /** The highest total of any user, 0 without users. */
  get largest(): number {
    return Math.max(0, ...this.#totals.values());
  }
}
