import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { mutate } from './mutant.ts';
import type { ThreadData } from './run-in-thread.ts';
import { runCollected } from './thread-globals.ts';

// The thread of `runInThread`: it loads one test file with one changed source, and reports the first failure.

const { checkout, test, mutant } = workerData as ThreadData;
const mutated = mutant && pathToFileURL(join(checkout, mutant.file)).href;
const GLOBALS = new URL('./thread-globals.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => (specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context)),
  load: (url, context, next) => {
    if (mutant === undefined || url !== mutated) return next(url, context);
    const source = mutate(readFileSync(fileURLToPath(url), 'utf8'), mutant);
    return { format: 'module', source: stripTypeScriptTypes(source), shortCircuit: true };
  },
});

parentPort?.postMessage(await runCollected(join(checkout, 'test', `${test}.test.ts`)));
