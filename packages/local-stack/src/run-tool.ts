import { printMessage } from '@ugc/shared/cli/output';
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import type { Account } from './account.ts';
import { inSeconds, patiently, type Patience } from './patience.ts';
import { killFamily } from './process-family.ts';
import { processorSeconds } from './process-time.ts';
import { StackError } from './stack-error.ts';

/** A program that prepares a server's start and ends. */
export type Tool = {
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  as: Account | undefined;
  /** Begins the message when it fails, such as "Elasticsearch could not prepare its start". */
  failure: string;
  patience?: Patience;
};

/** @returns what it prints to standard output */
export type RunTool = (tool: Tool, onStart?: (pid: number) => void) => Promise<Buffer>;

const LAST_LINES = 15;

/** Waits as long as the program works. @throws StackError with what it printed */
export async function runTool({ failure, patience, as, ...tool }: Tool, onStart?: (pid: number) => void): Promise<Buffer> {
  const { command, args, cwd, env } = tool;
  // In its own process group, it can be ended with all that it has started.
  const options = { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child = spawn(command, args, { ...options, ...(as && { uid: as.uid, gid: as.gid }) });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const failed = (what: string) => new StackError(`${failure}: ${basename(command)} ${what}, and printed${printed(errors)}`);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(failed(`could not be run (${error.message})`)));
    child.once('close', (code, signal) => (code === 0 ? resolve() : reject(failed(`ended (${signal ?? `exit code ${code}`})`))));
  });
  ended.catch(() => undefined);
  if (child.pid === undefined) return ended.then(() => Buffer.alloc(0));
  const pid = child.pid;
  onStart?.(pid);
  const bytes = () => [...output, ...errors].reduce((sum, chunk) => sum + chunk.length, 0);
  await patiently(ended, {
    patience,
    work: () => ({ bytes: bytes(), processorSeconds: processorSeconds(pid) }),
    say: (ms) => printMessage(`Waiting for ${basename(command)} (process ${pid}) for ${inSeconds(ms)}.`),
    giveUp: (ms) => failed(`made no progress for ${inSeconds(ms)}`),
  }).catch(async (error: unknown) => {
    await killFamily(pid);
    throw error;
  });
  return Buffer.concat(output);
}

function printed(errors: Buffer[]): string {
  // Elasticsearch marks its two outputs with control characters.
  const text = Buffer.concat(errors)
    .toString()
    .replaceAll(/[\x01\x02]/g, '');
  const withoutStackTrace = text.replaceAll(/^\tat .*\n?/gm, '').trim();
  return withoutStackTrace === '' ? ' nothing.' : `:\n${withoutStackTrace.split('\n').slice(-LAST_LINES).join('\n')}`;
}
