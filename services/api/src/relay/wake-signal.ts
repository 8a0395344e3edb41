/** A wait that wake() ends early. A wake() while nothing waits ends the next wait immediately. */
export class WakeSignal {
  #woken = false;
  #endWait: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#endWait?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#woken) await this.#untilWokenOrTimeout(timeoutMs);
    this.#woken = false;
  }

  #untilWokenOrTimeout(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
