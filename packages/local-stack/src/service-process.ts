import { fileURLToPath } from 'node:url';
import { ServerProcess } from './server-process.ts';
import type { Server } from './server.ts';

export const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

export type ServiceOptions = {
  name: 'API' | 'Indexer' | 'Embedder';
  /** Relative to the checkout. */
  main: string;
  dataDir: string;
  /** The port of `/health/live`. */
  port: number;
  env: Record<string, string | undefined>;
  /** The folder of another release, which ends with a slash; default: this one. */
  checkout?: string;
};

// The same options as in the Dockerfile. They halve the memory under load, to less than 200 MB (measurements/history.md).
const HEAP_LIMITS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
const ALLOCATOR_LIMITS = { MALLOC_ARENA_MAX: '2' };

/** The API or the indexer as a process that runs from source, with its log in the data folder. */
export function serviceProcess({ name, main, dataDir, port, env, checkout = CHECKOUT }: ServiceOptions): Server {
  const url = `http://127.0.0.1:${port}`;
  // endLeftover recognizes a process by the data folder on its command line.
  const args = [...HEAP_LIMITS, '--disable-warning=ExperimentalWarning', `${checkout}${main}`, dataDir];
  return new ServerProcess({
    name,
    url,
    dataDir,
    as: undefined,
    stopSignal: 'SIGTERM',
    prepare: () => Promise.resolve({ command: process.execPath, args, env: { ...ALLOCATOR_LIMITS, ...env } }),
    isReady: () => isReady(url),
  });
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health/live`).catch(() => undefined);
  return response?.ok ?? false;
}
