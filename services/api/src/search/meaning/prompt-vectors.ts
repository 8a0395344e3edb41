import type { Meaning, PromptVector } from './meaning.ts';
import { correctionsOf } from '../prompt/alternatives.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';

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

const EXCLUDED = /(?<=^|\s)-(?:"[^"]*"|\S*)/gu;
const QUOTES = /["“”„‟«»]/gu;
/** A word without the punctuation around it. */
const WORD = /[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?/gu;
/** The unit is a UTF-16 code unit. A longer prompt would take the service long, and its first words say what is meant. */
const MAX_LENGTH = 500;

/**
 * The prompt as it is embedded: with its corrections, and without what it excludes. Otherwise it stays as it is written,
 * because models distinguish more than the index does.
 * @returns an empty text if the prompt has only exclusions
 */
export function promptText({ text, alternatives, rules }: Interpretation): string {
  const corrections = correctionsOf(alternatives, { rare: true });
  const included = text.replaceAll(EXCLUDED, ' ').replaceAll(QUOTES, ' ');
  const corrected = included.replaceAll(WORD, (word) => corrections.get(rules.fold(word)) ?? word);
  return corrected.replaceAll(/\s+/gu, ' ').trim().slice(0, MAX_LENGTH).toWellFormed();
}
