import { setNewest } from '@ugc/shared/timing/set-newest';

const REMEMBERED_MS = 30_000;
const MAX_WORDS = 20_000;

/**
 * Words that occurred in an item a short while ago. Words that occur nowhere are not remembered: an upload may add
 * them.
 */
export class KnownWords {
  readonly #seenAtMs = new Map<string, number>();

  has(word: string): boolean {
    return performance.now() - (this.#seenAtMs.get(word) ?? -Infinity) < REMEMBERED_MS;
  }

  add(word: string): void {
    setNewest(this.#seenAtMs, word, performance.now(), MAX_WORDS);
  }
}
