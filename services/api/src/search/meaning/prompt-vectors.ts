import type { Meaning, PromptVector } from './meaning.ts';

/**
 * The vectors of the prompt in one list, which may be interpreted several times. Each text is embedded once, and none after
 * a failure; all together take no longer than one may.
 */
export class PromptVectors {
  readonly #meaning: Meaning;
  readonly #user: number;
  readonly #vectors = new Map<string, Promise<PromptVector | undefined>>();
  #leftMs: number;

  constructor(meaning: Meaning, user: number) {
    this.#meaning = meaning;
    this.#user = user;
    this.#leftMs = meaning.timeoutMs;
  }

  /** @returns undefined if a list cannot be ranked by meaning now */
  embed(text: string, signal: AbortSignal): Promise<PromptVector | undefined> | undefined {
    if (this.#leftMs <= 0) return undefined;
    const vector = this.#vectors.get(text) ?? this.#ask(text, signal);
    if (vector) this.#vectors.set(text, vector);
    return vector;
  }

  #ask(text: string, signal: AbortSignal): Promise<PromptVector | undefined> | undefined {
    const beganAtMs = performance.now();
    const timeoutMs = Math.ceil(this.#leftMs);
    return this.#meaning.embedPrompt(text, { signal, timeoutMs, user: this.#user })?.then((vector) => {
      this.#leftMs = vector ? this.#leftMs - (performance.now() - beganAtMs) : 0;
      return vector;
    });
  }
}
