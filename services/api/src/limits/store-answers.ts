import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@ugc/shared/postgres/postgres';
import { Problem } from '@ugc/items/problems/problem';

const TICK_MS = 100;
/** A store that is asked and answers nobody for half a second is taken to be out. A list learns of it within 4 s. */
const SILENT_TICKS = 5;

/** What somebody waited for is held by requests to a store that does not answer. */
export class StoreSilent extends Error {
  override readonly name = 'StoreSilent';

  constructor() {
    super('a store did not answer those who hold what was waited for');
  }
}

/**
 * Whether a store answers those who ask it. Silence is counted in ticks of a timer: while the process itself stands still,
 * it does not read answers either, and one tick passes at most.
 */
export class StoreAnswers {
  #asking = 0;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;
  #silentUntilMs = -Infinity;
  #answeredAtMs = -Infinity;

  /** Errors are no answers. @throws errors of `request` */
  async to<T>(request: () => Promise<T>): Promise<T> {
    if (this.#asking === 0) this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#asking += 1;
    try {
      const answer = await request();
      this.#ticks = 0;
      this.#answeredAtMs = performance.now();
      return answer;
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0) this.#stop();
    }
  }

  get isSilent(): boolean {
    return this.#ticks >= SILENT_TICKS;
  }

  /** Whether it has been asked, has answered nobody since then, and is not known to be silent yet. */
  isDoubtfulSince(beganAtMs: number): boolean {
    return this.#asking > 0 && !this.isSilent && this.#answeredAtMs <= beganAtMs;
  }

  wasSilentSince(beganAtMs: number): boolean {
    return this.#silentUntilMs > beganAtMs;
  }

  #tick(): void {
    this.#ticks += 1;
    if (this.isSilent) this.#silentUntilMs = performance.now();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#ticks = 0;
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
      transaction: (...work) => postgres.to(() => database.transaction(...work)),
    };
    return { database: watched };
  }

  isOneSilent(): boolean {
    return this.#stores.some(({ isSilent }) => isSilent);
  }

  /**
   * Whether one has been silent for a while since then. If one is silent now, but not for long, this waits until it is known.
   */
  async wereSilentSince(beganAtMs: number): Promise<boolean> {
    const wasOne = (): boolean => this.#stores.some((store) => store.wasSilentSince(beganAtMs));
    const nowMs = performance.now();
    while (!wasOne() && this.#stores.some((store) => store.isDoubtfulSince(nowMs))) await delay(TICK_MS);
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
