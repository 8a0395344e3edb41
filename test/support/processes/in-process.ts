import { SERVICE_VARIABLES } from '@ugc/shared/environment/known-variables';
import { openSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { Environment } from './environment.ts';

/** What a command has printed, and its exit code. */
export type Printed = { code: number; stdout: string; stderr: string };

class Exit extends Error {}

/** A command asks whether its output is a file. */
const NO_FILE = openSync('/dev/null', 'w');

let isRunning = false;
let runs = 0;

/**
 * Runs a command in this process, which has loaded most of its modules. It gets these arguments and only this environment.
 * @param file the absolute path of its module
 */
export async function runInProcess(file: string, args: string[], env: Environment): Promise<Printed> {
  const [stdout, stderr] = [new Output(), new Output()];
  let code: number | undefined;
  const exit = (given?: number | string | null): never => {
    code ??= Number(given ?? process.exitCode ?? 0);
    // What catches this prints nothing more.
    for (const output of [stdout, stderr]) output.isOpen = false;
    throw new Exit();
  };
  const restore = replaceIn(process, {
    argv: [process.execPath, file, ...args],
    env: { PATH: process.env['PATH'], ...env },
    exit,
    exitCode: undefined,
    stdout,
    stderr,
  });
  const restoreConsole = replaceIn(console, { error: (text: unknown) => void stderr.write(`${String(text)}\n`) });
  isRunning = true;
  try {
    // Each has its own URL, so that the module runs again.
    await import(`${file}?run=${(runs += 1)}`);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  } finally {
    isRunning = false;
    restoreConsole();
    restore();
  }
  return { code: code ?? 0, stdout: stdout.text(), stderr: stderr.text() };
}

/** Whether a command does the same in this process: none runs meanwhile, and Node.js and libraries read none of the variables. */
export function canRunInProcess(env: Environment): boolean {
  const { STORE_TIMEOUT_FACTOR: factor = '1' } = env;
  return (
    !isRunning &&
    // Modules have read the factor already.
    factor === (process.env['STORE_TIMEOUT_FACTOR'] ?? '1') &&
    Object.keys(env).every((name) => (SERVICE_VARIABLES as readonly string[]).includes(name))
  );
}

class Output extends Writable {
  readonly fd = NO_FILE;
  isOpen = true;
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    if (this.isOpen) this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** @returns what brings back the former properties */
function replaceIn<T extends object>(target: T, replaced: { [Name in keyof T]?: unknown }): () => void {
  const former = Object.keys(replaced).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
  return () => {
    for (const [name, descriptor] of former) {
      if (descriptor) Object.defineProperty(target, name, descriptor);
      else Reflect.deleteProperty(target, name);
    }
  };
}
