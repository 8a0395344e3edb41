import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadData } from './run-in-thread.ts';
import { runCollected } from './thread-globals.ts';

// The thread of `runInThread`: it loads one test file with one changed source, and reports the first failure.

const { checkout, test, changed } = workerData as ThreadData;
const changedUrl = changed && pathToFileURL(join(checkout, changed.file)).href;
const GLOBALS = new URL('./thread-globals.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => (specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context)),
  load: (url, context, next) =>
    url === changedUrl ? { format: 'module', source: changed?.source ?? '', shortCircuit: true } : next(url, context),
});

parentPort?.postMessage(await runCollected(join(checkout, 'test', `${test}.test.ts`)));
