import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';

export type Tool = 'pg_dump' | 'pg_restore';

/** Says what is wrong, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

type RunOptions = { env: NodeJS.ProcessEnv; signal: AbortSignal; onLine?: (line: string) => void };

const PRINTED_LINES_MAX = 5;

/** @throws BackupError if the program on PATH is missing, or older than the server */
export async function requireTool(tool: Tool, serverMajor: number): Promise<void> {
  const found = await majorVersion(tool);
  if (found !== undefined && found >= serverMajor) return;
  const problem = found === undefined ? `There is no ${tool} on PATH` : `The ${tool} on PATH is that of PostgreSQL ${found}`;
  throw new BackupError(
    `${problem}, and the server is PostgreSQL ${serverMajor}: install the client programs of PostgreSQL ${serverMajor} or newer ` +
      `(Debian: postgresql-client-${serverMajor}, macOS: brew install libpq), and put them first on PATH.`,
  );
}

/**
 * Runs a program of PostgreSQL. `onLine` gets what it writes to standard error besides errors.
 * @returns its standard output
 * @throws BackupError with the errors that it prints
 */
export async function runTool(tool: Tool, args: string[], { env, signal, onLine }: RunOptions): Promise<string> {
  // An event of the signal that came earlier is not repeated.
  signal.throwIfAborted();
  // Messages are read, so they must not be translated.
  const child = spawn(tool, args, { env: { ...env, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = (): void => void child.kill();
  signal.addEventListener('abort', stop);
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  try {
    const [code, output, errors] = await Promise.all([ended, textOf(child.stdout), readErrors(child.stderr, onLine)]);
    signal.throwIfAborted();
    if (code === 0) return output;
    throw new BackupError(errors.slice(0, PRINTED_LINES_MAX).join('\n') || `${tool} ended with exit code ${code}.`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function majorVersion(tool: Tool): Promise<number | undefined> {
  const { stdout } = await promisify(execFile)(tool, ['--version']).catch(() => ({ stdout: '' }));
  const [, major] = stdout.match(/\(PostgreSQL\) (\d+)/) ?? [];
  return major === undefined ? undefined : Number(major);
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
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
