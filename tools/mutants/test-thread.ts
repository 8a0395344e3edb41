import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Changed, Message, ThreadData } from './thread.ts';
import { runCollected } from './thread-globals.ts';

// The thread of `TestThread`: for each message it loads the test files with one changed source, and reports the first failure.
// What does not import the changed source is loaded once for all messages.

const { checkout, tests, except } = workerData as ThreadData;
const CHECKOUT = pathToFileURL(join(checkout, '/')).href;
const TOOLS = new URL('.', import.meta.url).href;
const GLOBALS = new URL('./thread-globals.ts', import.meta.url).href;

const importers = new Map<string, Set<string>>();
const sources = new Map<string, string>();
let changed: Changed | undefined;
let reloaded = new Set<string>();
let count = 0;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    const resolved = next(specifier, context);
    if (!isOwn(resolved.url)) return resolved;
    const known = importers.get(resolved.url) ?? new Set();
    importers.set(resolved.url, known.add(withoutQuery(context.parentURL ?? '')));
    return reloaded.has(resolved.url) ? { ...resolved, url: `${resolved.url}?${count}` } : resolved;
  },
  load(url, context, next) {
    const file = withoutQuery(url);
    if (!isOwn(file) || !file.endsWith('.ts')) return next(url, context);
    const isChanged = changed !== undefined && reloaded.has(file) && file === urlOf(changed.file);
    return { format: 'module', source: isChanged ? (changed?.source ?? '') : sourceOf(file), shortCircuit: true };
  },
});

function isOwn(url: string): boolean {
  return url.startsWith(CHECKOUT) && !url.startsWith(TOOLS) && !url.includes('/node_modules/');
}

function withoutQuery(url: string): string {
  return url.replace(/\?\d+$/, '');
}

function urlOf(file: string): string {
  return new URL(file, CHECKOUT).href;
}

function sourceOf(url: string): string {
  const known = sources.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
  sources.set(url, known);
  return known;
}

/** The file, and all that imports it. */
function dependentsOf(file: string): Set<string> {
  const found = new Set([urlOf(file)]);
  // A set that grows while it is iterated gives what is added too.
  for (const url of found) for (const importer of importers.get(url) ?? []) if (isOwn(importer)) found.add(importer);
  return found;
}

const urls = tests.map((test) => urlOf(`test/${test}.test.ts`));
// Some tests wait for what does not keep a thread running.
setInterval(() => undefined, 60_000);

parentPort?.on('message', (message: Message) => {
  void (async () => {
    count += 1;
    changed = typeof message === 'object' ? message : undefined;
    reloaded = changed ? dependentsOf(changed.file) : new Set();
    parentPort?.postMessage(await runCollected(urls, message === 'load' ? /^/ : except));
  })();
});
