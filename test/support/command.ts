import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFile } from 'node:child_process';
import type { Environment } from './environment.ts';

export type Result = { code: number; stdout: string; stderr: string; json: any[] };

/** Runs a command of the indexer as an operator would, and waits for its end. */
export async function indexCommand(env: Environment, name: string, ...args: string[]): Promise<Result> {
  const file = `${CHECKOUT}services/indexer/src/commands/${name}.ts`;
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      const json = stdout.startsWith('{')
        ? stdout
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [];
      resolve({ code, stdout, stderr, json });
    });
  });
}
