import { normalized } from '@ugc/text/words/normalized';
import { LRUCache } from 'lru-cache';

/** A list with a prompt. `correction`: what was searched for instead of words of the prompt, if there was a correction. */
export type Search = {
  user: number;
  prompt: string;
  isEmpty: boolean;
  correction: string | undefined;
  /** When the request began, in the time of `performance.now()`. */
  begunAtMs: number;
};

/** What a user sends within this time is still being typed. */
export const TYPING_MS = 5_000;
/** Also a check of the table. */
const PROMPT_MAX_CHARACTERS = 100;
/** How many prompts count: of one process until they are taken, and of one user in a day, half of what operators are shown. */
const PROMPTS_MAX = { process: 1_000, userPerDay: 10 };
const REMEMBERED_USERS_MAX = 10_000;
const DAY_MS = 86_400_000;

/**
 * Collects the prompts for which nothing was found or that were corrected. Takes a bounded amount of memory, and a user
 * with many prompts only a small part of it.
 */
export class PromptCounts {
  /** The last one of each user, which the next prompt of the user may continue. */
  readonly #typed = new Map<number, Search>();
  #settled = new Map<number, Map<string, Search>>();
  #settledCount = 0;
  readonly #ofDay = new LRUCache<number, number>({ max: REMEMBERED_USERS_MAX, ttl: DAY_MS, noUpdateTTL: true });
  readonly #onOmitted: () => void;

  /** @param onOmitted called for each prompt that exceeds a limit */
  constructor(onOmitted: () => void) {
    this.#onOmitted = onOmitted;
  }

  /** Takes every search with a prompt, also one that found what was written: it may end the typing of another. */
  add(search: Search): void {
    const last = this.#typed.get(search.user);
    if (last && isTyping(last, search)) {
      // A search that began earlier may end later.
      if (last.prompt === search.prompt || search.begunAtMs < last.begunAtMs) return;
      this.#typed.delete(search.user);
    } else if (last) this.#settle(last);
    this.#remember(search);
  }

  #remember(search: Search): void {
    if ([...search.prompt].length > PROMPT_MAX_CHARACTERS) return counts(search) ? this.#onOmitted() : undefined;
    const [oldest] = this.#typed.values();
    if (oldest && this.#typed.size >= PROMPTS_MAX.process) this.#settle(oldest);
    this.#typed.set(search.user, search);
  }

  /**
   * Removes and returns what was collected: a prompt of a user once, however often it was sent.
   * @param begunBeforeMs what has begun later may still be typed, and stays
   */
  take(begunBeforeMs = Infinity): Search[] {
    for (const search of this.#typed.values()) if (search.begunAtMs < begunBeforeMs) this.#settle(search);
    const taken = [...this.#settled.values()].flatMap((ofUser) => [...ofUser.values()]);
    this.#settled = new Map();
    this.#settledCount = 0;
    return taken;
  }

  #settle(search: Search): void {
    const { user, prompt } = search;
    this.#typed.delete(user);
    if (!counts(search)) return;
    const ofUser = this.#settled.get(user) ?? new Map<string, Search>();
    if (ofUser.has(prompt)) return void ofUser.set(prompt, search);
    const ofDay = this.#ofDay.get(user) ?? 0;
    if (this.#settledCount >= PROMPTS_MAX.process || ofDay >= PROMPTS_MAX.userPerDay) return this.#onOmitted();
    this.#ofDay.set(user, ofDay + 1);
    this.#settled.set(user, ofUser.set(prompt, search));
    this.#settledCount += 1;
  }
}

function counts({ isEmpty, correction }: Search): boolean {
  return isEmpty || correction !== undefined;
}

/** Whether letters were added at the end, or removed there, between the two, or nothing. */
function isTyping(a: Search, b: Search): boolean {
  const isContinued = a.prompt.startsWith(b.prompt) || b.prompt.startsWith(a.prompt);
  return isContinued && Math.abs(a.begunAtMs - b.begunAtMs) < TYPING_MS;
}

/** What a prompt is counted by: without regard to letter case, blanks, and characters that steer a terminal or hide. */
export function normalizePrompt(prompt: string): string {
  const visible = prompt.replace(/[\p{Cf}--[\u200c\u200d]]/gv, '').replace(/[\p{White_Space}\p{Cc}]+/gu, ' ');
  return normalized(visible.trim().toLowerCase(), 'NFC');
}
