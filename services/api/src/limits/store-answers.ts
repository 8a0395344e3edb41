import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@ugc/shared/postgres/postgres';
import { Problem } from '../http/problem.ts';

/** A store that is asked and answers nobody for so long is taken to be out. A list learns of it within 4 s. */
const SILENT_MS = 500;

/** What somebody waited for is held by requests to a store that does not answer. */
export class StoreSilent extends Error {
  override readonly name = 'StoreSilent';

  constructor() {
    super('a store did not answer those who hold what was waited for');
  }
}

/** Whether a store answers those who ask it. */
export class StoreAnswers {
  #asking = 0;
  #sinceMs = 0;
  #silentUntilMs = -Infinity;

  /** Errors are no answers. @throws errors of `request` */
  async to<T>(request: () => Promise<T>): Promise<T> {
    if (this.#asking === 0) this.#sinceMs = performance.now();
    this.#asking += 1;
    try {
      const answer = await request();
      this.#noteSilence();
      this.#sinceMs = performance.now();
      return answer;
    } finally {
      this.#noteSilence();
      this.#asking -= 1;
    }
  }

  /** For how long what is asked now has had no answer. */
  get silentMs(): number {
    return this.#asking === 0 ? 0 : performance.now() - this.#sinceMs;
  }

  wasSilentSince(beganAtMs: number): boolean {
    this.#noteSilence();
    return this.#silentUntilMs > beganAtMs;
  }

  #noteSilence(): void {
    if (this.silentMs >= SILENT_MS) this.#silentUntilMs = performance.now();
  }
}

/** Both stores that requests ask while they hold what others wait for. */
export class StoresAnswers {
  readonly elasticsearch = new StoreAnswers();
  readonly postgres = new StoreAnswers();
  readonly #stores = [this.elasticsearch, this.postgres];

  /** @returns the same database, of which is known whether it answers */
  watch({ database }: { database: Database }): { database: Database } {
    const { postgres } = this;
    const watched: Database = {
      ...database,
      query: (...statement) => postgres.to(() => database.query(...statement)),
      write: (...statement) => postgres.to(() => database.write(...statement)),
      transaction: (work) => postgres.to(() => database.transaction(work)),
    };
    return { database: watched };
  }

  isOneSilent(): boolean {
    return this.#stores.some(({ silentMs }) => silentMs >= SILENT_MS);
  }

  /**
   * Whether one has been silent for a while since then. If one is silent now, but not for long, this waits until it is known.
   */
  async wereSilentSince(beganAtMs: number): Promise<boolean> {
    const wasOne = (): boolean => this.#stores.some((store) => store.wasSilentSince(beganAtMs));
    if (wasOne()) return true;
    const leftMs = SILENT_MS - Math.max(...this.#stores.map(({ silentMs }) => silentMs));
    if (leftMs < SILENT_MS) await delay(Math.ceil(leftMs) + 1);
    return wasOne();
  }

  /** @throws StoreSilent in the place of a Problem, which says that a turn did not come, if a store has been silent meanwhile */
  async explain<T>(turn: Promise<T>): Promise<T> {
    const beganAtMs = performance.now();
    return turn.catch(async (error: unknown) => {
      if (error instanceof Problem && (await this.wereSilentSince(beganAtMs))) throw new StoreSilent();
      throw error;
    });
  }
}
