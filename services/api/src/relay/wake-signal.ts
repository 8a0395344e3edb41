/** A wait that wake() ends early. A wake() while nothing waits ends the next wait immediately. */
export class WakeSignal {
  #woken = false;
  #endWait: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#endWait?.();
  }

  /** @returns whether wake() has ended it */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#woken) await this.#untilWokenOrTimeout(timeoutMs);
    const woken = this.#woken;
    this.#woken = false;
    return woken;
  }

  #untilWokenOrTimeout(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      const endWait = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#endWait = endWait;
    });
  }
}
