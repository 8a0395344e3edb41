import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFile, type ChildProcess } from 'node:child_process';
import type { Environment } from './environment.ts';

/** `code` is -1 when a signal ended it. */
export type Result = { code: number; stdout: string; stderr: string; json: unknown[] };

/** Runs a command of the indexer as an operator would, and waits for its end. */
export async function indexCommand(env: Environment, name: string, ...args: string[]): Promise<Result> {
  return startIndexCommand(env, name, ...args).result;
}

export function startIndexCommand(env: Environment, name: string, ...args: string[]): { process: ChildProcess; result: Promise<Result> } {
  const file = `${CHECKOUT}services/indexer/src/commands/${name}.ts`;
  const { promise: result, resolve } = Promise.withResolvers<Result>();
  const child = execFile(process.execPath, [file, ...args], { env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) => {
    const code = error === null ? 0 : Number(error.code ?? -1);
    const json = stdout.startsWith('{')
      ? stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown)
      : [];
    resolve({ code, stdout, stderr, json });
  });
  return { process: child, result };
}
