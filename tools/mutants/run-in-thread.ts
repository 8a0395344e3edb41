import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Outcome } from './run-tests.ts';

/** @property changed a file, and its source in JavaScript instead of the one in the checkout */
export type ThreadData = { checkout: string; test: string; changed?: { file: string; source: string } };

/**
 * Runs a test file that needs no server and no fake timers in a thread of this process until its first failure. The changed
 * source is put in its place while it is loaded, so that the checkout stays as it is. Takes a tenth of the time of a Jest process.
 */
export async function runInThread(data: ThreadData, limitMs: number): Promise<Outcome> {
  const startedAt = performance.now();
  const thread = new Worker(join(import.meta.dirname, 'test-thread.ts'), { workerData: data, stdout: true, stderr: true });
  const { promise, resolve } = Promise.withResolvers<Pick<Outcome, 'kind' | 'detail'>>();
  thread.on('message', resolve);
  thread.on('error', (error) => resolve({ kind: 'broken', detail: String(error) }));
  thread.on('exit', () => resolve({ kind: 'broken', detail: 'the thread ended without a result' }));
  const limit = setTimeout(() => resolve({ kind: 'hung', detail: `did not end within ${Math.round(limitMs / 1_000)} s` }), limitMs);
  const outcome = await promise;
  clearTimeout(limit);
  await thread.terminate();
  return { ...outcome, seconds: (performance.now() - startedAt) / 1_000 };
}
