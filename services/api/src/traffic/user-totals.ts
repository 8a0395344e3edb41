/** One sum for each user. A user whose sum is zero takes no memory. */
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

  /** Of all users together. */
  get sum(): number {
    return this.#sum;
  }

  /** Of the user who has most. */
  get largest(): number {
    return Math.max(0, ...this.#totals.values());
  }
}
