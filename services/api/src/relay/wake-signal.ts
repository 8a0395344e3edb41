/** A wait that a ring ends early. A ring while nobody waits ends the next wait at once. */
export class WakeSignal {
  #rung = false;
  #answer: (() => void) | undefined;

  wake(): void {
    this.#rung = true;
    this.#answer?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#rung) await this.#ringOrTimeout(timeoutMs);
    this.#rung = false;
  }

  #ringOrTimeout(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#answer = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
