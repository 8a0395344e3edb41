import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Outcome } from './run-tests.ts';

/** A file, and its source in JavaScript instead of the one in the checkout. */
export type Changed = { file: string; source: string };
/** `load` runs no test: a thread has to know which modules import the changed one. */
export type Message = Changed | 'unchanged' | 'load';
/** @property except names of tests that are left out */
export type ThreadData = { checkout: string; tests: string[]; except?: RegExp };

/** A change that makes a list grow for ever ends its thread. */
const MEMORY_MB = 1_024;
/** A thread keeps each module that it has loaded. */
const MAX_RUNS = 100;
const UNCHANGED_LIMIT_MS = 600_000;
const MIN_LIMIT_MS = 5_000;
const LIMIT_FACTOR = 5;

/**
 * Runs test files that need no server and no fake timers in a thread of this process until their first failure. A changed
 * source is put in its place while it is loaded, so that the checkout stays as it is. Takes a hundredth of the time of a Jest
 * process, because only what imports the changed file is loaded again.
 */
export class TestThread {
  readonly #data: ThreadData;
  #worker: Worker | undefined;
  #runs = 0;
  #limitMs = UNCHANGED_LIMIT_MS;

  constructor(data: ThreadData) {
    this.#data = data;
  }

  /** The first run is without a change, and says how long the others may take. */
  async runUnchanged(): Promise<Outcome> {
    const outcome = await this.#post('unchanged', UNCHANGED_LIMIT_MS);
    this.#limitMs = MIN_LIMIT_MS + LIMIT_FACTOR * 1_000 * outcome.seconds;
    return outcome;
  }

  async run(changed: Changed): Promise<Outcome> {
    if (this.#runs >= MAX_RUNS) await this.end();
    if (!this.#worker) await this.#post('load', UNCHANGED_LIMIT_MS);
    this.#runs += 1;
    return this.#post(changed, this.#limitMs);
  }

  /** @param file one that the tests import @returns whether they pass in this thread with the file as it is */
  async stillPasses(file: string): Promise<boolean> {
    const source = stripTypeScriptTypes(readFileSync(join(this.#data.checkout, file), 'utf8'));
    return (await this.run({ file, source })).kind === 'passed';
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
    this.#forget();
  }

  #forget(): void {
    this.#worker = undefined;
    this.#runs = 0;
  }

  async #post(message: Message, limitMs: number): Promise<Outcome> {
    const startedAt = performance.now();
    const worker = (this.#worker ??= startWorker(this.#data));
    const { promise, resolve } = Promise.withResolvers<Pick<Outcome, 'kind' | 'detail'>>();
    worker.once('message', resolve);
    worker.once('error', (error) => {
      this.#forget();
      resolve(outcomeOf(error));
    });
    const limit = setTimeout(() => resolve({ kind: 'hung', detail: `did not end within ${Math.round(limitMs / 1_000)} s` }), limitMs);
    worker.postMessage(message);
    const outcome = await promise;
    clearTimeout(limit);
    worker.removeAllListeners('message').removeAllListeners('error');
    if (outcome.kind === 'hung' || outcome.kind === 'broken') await this.end();
    return { ...outcome, seconds: (performance.now() - startedAt) / 1_000 };
  }
}

function startWorker(workerData: ThreadData): Worker {
  const file = join(import.meta.dirname, 'test-thread.ts');
  return new Worker(file, { workerData, stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
}

/** Of an error that ended the thread: Jest fails a test for one that nothing catches, too. */
function outcomeOf(error: unknown): Pick<Outcome, 'kind' | 'detail'> {
  const isFull = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isFull ? { kind: 'hung', detail: String(error) } : { kind: 'failed', detail: `an error that nothing catches: ${String(error)}` };
}
