import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { Piscina } from 'piscina';
import type { Limits } from '../env.ts';
import { Problem, tryAgain } from '@ugc/items/problems/problem';
import { Shares, type Hold } from './shares.ts';

/** A user has one of the two threads for short work, so that one is left for others. */
const SHORT = { user: 1, process: 2 };
/** All users take turns in one thread for long work, so that short work never waits for it. */
export const LONG = { user: 1, process: 1 };
/** Rendering or compressing a larger page is long work: 60 ms or more. */
export const LONG_BYTES = 8 * 1_024 * 1_024;
/** The largest page takes less than a second. */
export const BUDGET_MS = storeTimeout(5_000);

/** What a function of `thread.ts` does with bytes. They and `moved` are moved to the thread, and must not be used afterwards. */
export type Work = { task: 'parseBody' | 'renderPage'; bytes: Buffer; details: object; moved?: ArrayBuffer[] };
export type RunInThread = <T>(work: Work) => Promise<T>;
type Refusal = { refusal: Pick<Problem, 'status' | 'code' | 'errors' | 'errorsOmitted' | 'values' | 'headers'> & { detail: string } };

type Options = {
  limits?: typeof SHORT;
  budgetMs?: number;
  /** Called when a thread ends by an error and has no work that fails with it. */
  onError?: ((error: Error) => void) | undefined;
};

/** Threads for work on the bytes of others that would block the event loop. Users take turns. */
export class Threads extends Shares {
  readonly #pool: Piscina;
  readonly #budgetMs: number;

  constructor(workerData?: Limits, { limits = SHORT, budgetMs = BUDGET_MS, onError = () => undefined }: Options = {}) {
    super(limits, {
      toError: () =>
        tryAgain(429, 'too-much-at-once', 'Too much is being read or made for you or for all. Try again, or request smaller pages.'),
    });
    const filename = new URL('../thread.ts', import.meta.url).href;
    this.#pool = new Piscina({ filename, workerData, minThreads: 0, maxThreads: limits.process, idleTimeout: 60_000 });
    this.#pool.on('error', onError);
    this.#budgetMs = budgetMs;
  }

  /**
   * Ends the turn. Its user gets no other turn for as long again, so that one user keeps a processor busy for half of the
   * time at most. Work above its time is ended with its thread.
   * @throws Problem: the refusal of the task · 503 above the time
   */
  async run<T>(turn: Hold, { task: name, bytes, details, moved = [] }: Work): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#budgetMs);
    const own = ownMemory(bytes);
    const beganAt = performance.now();
    try {
      const options = { name, signal: late.signal, transferList: [own.buffer, ...moved] };
      const result = (await this.#pool.run({ ...details, bytes: own }, options)) as T | Refusal;
      if (!isRefusal(result)) return result;
      const { status, code, detail, ...more } = result.refusal;
      throw new Problem(status, code, detail, more);
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw workTooLong(this.#budgetMs);
    } finally {
      clearTimeout(timer);
      turn.release(performance.now() - beganAt);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** Memory that the buffer shares with others, such as Node's pool of small buffers, cannot be moved. */
export function ownMemory(buffer: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer: memory } = buffer;
  return memory instanceof ArrayBuffer && memory.byteLength === buffer.byteLength ? new Uint8Array(memory) : new Uint8Array(buffer);
}

function isRefusal(result: unknown): result is Refusal {
  return typeof result === 'object' && result !== null && 'refusal' in result;
}

/** @param budgetMs the time that such work may take */
export function workTooLong(budgetMs: number): Problem {
  const detail = `This took longer than ${budgetMs} ms and was ended. Send or request less at a time.`;
  return tryAgain(503, 'work-too-long', detail, budgetMs / 1_000);
}
