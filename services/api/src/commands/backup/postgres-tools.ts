import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type Tool = 'pg_dump' | 'pg_restore' | 'psql';

/** Says what is wrong, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export type RunOptions = {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** What the program reads from standard input. If it throws, so does `runTool`. */
  input?: AsyncIterable<string | Buffer>;
  /** Gets what the program writes to standard error besides errors. */
  onLine?: (line: string) => void;
};

const PRINTED_LINES_MAX = 5;

/**
 * Runs a program of PostgreSQL.
 * @yields its standard output
 * @throws BackupError with the errors that it prints
 */
export async function* runTool(tool: Tool, args: string[], { env, signal, input, onLine }: RunOptions): AsyncGenerator<Buffer> {
  // Messages are read, so they must not be translated.
  const child = spawn(tool, args, { env: { ...env, LC_ALL: 'C' }, signal });
  const ended = Promise.allSettled([once(child, 'close'), readErrors(child.stderr, onLine), feed(child.stdin, input)]);
  try {
    yield* child.stdout;
    const [exit, errors, sent] = await ended;
    signal.throwIfAborted();
    if (exit.status === 'rejected') throw notStarted(tool, exit.reason);
    // The program may complain about the end of the input, or take it for the usual one.
    if (sent.status === 'rejected' && sent.reason instanceof BackupError) throw sent.reason;
    const [code] = exit.value as [number | null];
    const lines = errors.status === 'fulfilled' ? errors.value : [];
    if (code !== 0) throw new BackupError(lines.slice(0, PRINTED_LINES_MAX).join('\n') || `${tool} ended with exit code ${code}.`);
    if (sent.status === 'rejected') throw sent.reason;
  } finally {
    child.kill();
  }
}

export async function outputOf(running: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of running) text += String(chunk);
  return text;
}

async function feed(stdin: Writable, input: AsyncIterable<string | Buffer> | undefined): Promise<void> {
  if (input) await pipeline(input, stdin);
  else stdin.end();
}

function notStarted(tool: Tool, error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ENOENT') return error;
  return new BackupError(
    `There is no ${tool} on PATH: install the client programs of PostgreSQL, of the version of the server or newer ` +
      '(Debian: postgresql-client, macOS: brew install libpq).',
  );
}

async function readErrors(stream: NodeJS.ReadableStream, onLine: (line: string) => void = () => undefined): Promise<string[]> {
  const errors: string[] = [];
  for await (const line of createInterface(stream)) {
    if (isProgress(line)) onLine(line);
    else errors.push(line);
  }
  return errors;
}

/** Such as `pg_dump: dumping contents of table "public.content"`, and not `pg_dump: error: …`. */
function isProgress(line: string): boolean {
  return /^pg_\w+: (?!error|detail|hint|fatal|warning|while)/.test(line);
}
