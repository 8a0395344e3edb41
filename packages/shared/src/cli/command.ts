import { Command, CommanderError } from 'commander';
import { fstatSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { errorMessage } from '../process/error-message.ts';
import { VERSION } from '../process/version.ts';
import { printMessage, progressBar } from './output.ts';
import { describeWriteFailure, standardOutputPath } from './write-failure.ts';

export const EXIT = {
  done: 0,
  badResult: 1,
  usage: 2,
  /** EX_TEMPFAIL of sysexits.h: the same command may succeed later. */
  tryAgain: 75,
  stopped: 130,
} as const;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type CommandHelp = {
  name: string;
  description: string;
  exitCodes: Record<number, string>;
  example: string;
};

export function createCommand({ name, description, exitCodes, example }: CommandHelp): Command {
  const codes = Object.entries(exitCodes).map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}\n`);
  return new Command(name)
    .description(description)
    .version(VERSION, '--version', 'print the version of the service')
    .addHelpText('afterAll', `\nExit codes:\n${codes.join('')}\nExample:\n  ${example}`)
    .showHelpAfterError(helpHint(name))
    .configureOutput({ writeErr: (text) => printMessage(...text.trimEnd().split('\n')) })
    .exitOverride();
}

export const JSON_OPTION = ['--json', 'print the result as JSON, one object per line'] as const;

/** `message`: a line, or several. */
export type Failure = { message: string | string[]; exitCode: number };

/** Exits with the `process.exitCode` of the action. `failureOf` describes what it throws, except a UsageError. */
export async function runCommand(command: Command, failureOf: (error: unknown) => Failure): Promise<never> {
  const output = watchOutput();
  try {
    await command.parseAsync();
  } catch (error) {
    process.exitCode = reportError(command, error, failureOf);
  }
  if (await output.hasFailed()) process.exitCode ||= EXIT.badResult;
  process.exit();
}

export function failWith(exitCode: number): (error: unknown) => Failure {
  return (error) => ({ message: errorMessage(error), exitCode });
}

/** The parser throws a UsageError that begins with the name, for example `NAME must be …`. */
export function parseWith<T>(name: string, schema: z.ZodType<T>): (text: string) => T {
  return (text) => {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new UsageError(`${name} ${parsed.error.issues.map(({ message }) => message).join(', ')}`);
  };
}

const Id = z.string().regex(/^[1-9]\d{0,15}$/, 'must be a positive integer').transform(Number).pipe(z.int('must be a smaller integer')); // prettier-ignore
/** Parses the id of an item. @param name that of the option or the argument */
export function parseIdAs(name: string): (text: string) => number {
  return parseWith(name, Id);
}
export const parseId = parseIdAs('ID');

let stopSignal: AbortSignal | undefined;

/** Aborts on Ctrl-C and SIGTERM. From the first call on, the first of each no longer ends the process; a second one does. */
export function getStopSignal(): AbortSignal {
  if (stopSignal) return stopSignal;
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort()).once('SIGTERM', () => stopping.abort());
  return (stopSignal = stopping.signal);
}

type Pace = { progress: (done: number, total?: number) => void; signal: AbortSignal };

/** Shows how far `work` is, and stops it at its next report after a signal. */
export async function withProgress<T>(label: string, work: (pace: Pace) => Promise<T>): Promise<T> {
  const bar = progressBar(label);
  const signal = getStopSignal();
  const progress = (done: number, total = done): void => {
    signal.throwIfAborted();
    if (total > 0) bar.update(done, total);
  };
  return work({ progress, signal }).finally(() => bar.end());
}

function reportError(command: Command, error: unknown, failureOf: (error: unknown) => Failure): number {
  // Commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { message, exitCode } = describe(command, error, failureOf);
  printMessage(...[message].flat());
  return exitCode;
}

function describe(command: Command, error: unknown, failureOf: (error: unknown) => Failure): Failure {
  if (stopSignal?.aborted) return { message: 'Stopped. Run the same command again to continue.', exitCode: EXIT.stopped };
  if (error instanceof UsageError) return { message: [`error: ${error.message}`, helpHint(command.name())], exitCode: EXIT.usage };
  return failureOf(error);
}

function helpHint(name: string): string {
  return `Run "${name} --help" for usage.`;
}

/**
 * An error of an output that has no listener ends the process with a stack trace. A reader that closes the pipe, such as
 * `head`, has read enough: the command goes on, and its exit code is that of its work.
 */
function watchOutput(): { hasFailed(): Promise<boolean> } {
  let failure: NodeJS.ErrnoException | undefined;
  if (fstatSync(process.stdout.fd).isFile()) process.stdout._write = writeWhole;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
  });
  const hasFailed = async (): Promise<boolean> => {
    await new Promise<void>((written) => process.stdout.write('', () => written()));
    // The event follows the callback.
    await new Promise(setImmediate);
    if (failure) {
      const reason = describeWriteFailure(failure, standardOutputPath(), 'redirect standard output to another file');
      printMessage(`The result could not be written to standard output: ${reason}`);
    }
    return failure !== undefined;
  };
  return { hasFailed };
}

/** Where a disk gets full, a part of the bytes is written without an error. Node.js takes it for all of them. */
function writeWhole(chunk: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
  try {
    writeFileSync(process.stdout.fd, chunk);
    done();
  } catch (error) {
    done(error as Error);
  }
}
