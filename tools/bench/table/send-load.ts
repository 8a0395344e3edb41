import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Load, LoadResult } from './load-process.ts';

export type { Load, LoadResult };

/** Sends requests over a number of connections, each connection one after the other. @returns rate and response times */
export async function sendLoad(load: Load): Promise<LoadResult> {
  const child = fork(new URL('./load-process.ts', import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] });
  child.send(load);
  const [result] = (await once(child, 'message')) as [LoadResult];
  return result;
}
