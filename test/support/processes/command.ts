import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFile, execFileSync, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { COMPILE_CACHE, type Environment } from './environment.ts';
import { canRunInProcess, runInProcess, type Printed } from './in-process.ts';

/** `code` is -1 if a signal ended the command. `json` contains the lines of standard output if they are JSON. */
export type Result = { code: number; stdout: string; stderr: string; json: unknown[] };

/**
 * Runs a command of the indexer with only this environment: in this process if it does the same there, which saves half a
 * second of processor time. @param name without `.ts`
 */
export async function indexCommand(env: Environment, name: string, ...args: string[]): Promise<Result> {
  return run(env, `services/indexer/src/commands/${name}.ts`, args);
}

/** Starts a command of the indexer as a process, with only this environment. */
export function startIndexCommand(env: Environment, name: string, ...args: string[]): { process: ChildProcess; result: Promise<Result> } {
  return startCommand(env, `services/indexer/src/commands/${name}.ts`, args);
}

/** Runs a command of the API, as `indexCommand`. @param name without `.ts` */
export async function apiCommand(env: Environment, name: string, ...args: string[]): Promise<Result> {
  return run(env, `services/api/src/commands/${name}.ts`, args);
}

/** Starts a command of the API as a process, with only this environment. */
export function startApiCommand(env: Environment, name: string, ...args: string[]): { process: ChildProcess; result: Promise<Result> } {
  return startCommand(env, `services/api/src/commands/${name}.ts`, args);
}

/** Runs a command of the API of another source. @param checkout its folder, which ends with a slash */
export async function commandOf(checkout: string, env: Environment, name: string, ...args: string[]): Promise<Result> {
  return startCommand(env, `services/api/src/commands/${name}.ts`, args, checkout).result;
}

/**
 * Runs commands until they read their configuration, all in one process.
 * @param commands the file of each, such as `services/api/src/commands/users.ts`, and its arguments
 */
export function parseCommands(commands: string[][], env: Environment = {}): { code: number; message: string }[] {
  const args = ['--disable-warning=ExperimentalWarning', join(CHECKOUT, 'test/support/processes/parse-commands.ts')];
  const printed = execFileSync(process.execPath, args, { cwd: CHECKOUT, env, input: JSON.stringify(commands), encoding: 'utf8' });
  return JSON.parse(printed) as { code: number; message: string }[];
}

/** @returns an empty text if the command succeeded; otherwise its exit code and what it wrote to standard error */
export function failureOf({ code, stderr }: Result): string {
  return code === 0 ? '' : `exit code ${code}: ${stderr}`;
}

async function run(env: Environment, file: string, args: string[]): Promise<Result> {
  if (!canRunInProcess(env)) return startCommand(env, file, args).result;
  return withJson(await runInProcess(join(CHECKOUT, file), args, env));
}

function startCommand(
  env: Environment,
  file: string,
  args: string[],
  checkout = CHECKOUT,
): { process: ChildProcess; result: Promise<Result> } {
  const { promise: result, resolve } = Promise.withResolvers<Result>();
  const child = execFile(
    process.execPath,
    [`${checkout}${file}`, ...args],
    { env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env }, maxBuffer: Infinity },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      resolve(withJson({ code, stdout, stderr }));
    },
  );
  return { process: child, result };
}

function withJson(printed: Printed): Result {
  const { stdout } = printed;
  const lines = /^\{["}]/.test(stdout) ? stdout.trimEnd().split('\n') : [];
  return { ...printed, json: lines.map((line) => JSON.parse(line) as unknown) };
}
