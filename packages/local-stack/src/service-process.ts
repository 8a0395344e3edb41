import { fileURLToPath } from 'node:url';
import { ServerProcess } from './server-process.ts';
import type { Server } from './server.ts';

export const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

export type ServiceOptions = {
  name: 'API' | 'Indexer';
  /** Within the checkout. */
  main: string;
  dataDir: string;
  /** Where its `/health/live` is served. */
  port: number;
  env: Record<string, string | undefined>;
};

/** One of the project's own services as a process, unbuilt, with its log in the data folder. */
export function serviceProcess({ name, main, dataDir, port, env }: ServiceOptions): Server {
  const url = `http://127.0.0.1:${port}`;
  // The command line names the data folder, by which a process left behind is known again.
  const args = ['--disable-warning=ExperimentalWarning', `${CHECKOUT}${main}`, dataDir];
  return new ServerProcess({
    name,
    url,
    dataDir,
    as: undefined,
    stopSignal: 'SIGTERM',
    deadlineMs: 30_000,
    prepare: () => Promise.resolve({ command: process.execPath, args, env }),
    answers: () => answers(url),
  });
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health/live`).catch(() => undefined);
  return response?.ok ?? false;
}
