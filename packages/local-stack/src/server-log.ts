import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';

const KEPT_BYTES = 16 * 1024 * 1024;

export type ServerLog = { path: string; open(): number; close(): void; size(): number; tail(): string };

/** The file that a server's output is written to; `tail` returns the last lines since the latest start. */
export function serverLog(path: string): ServerLog {
  let from = 0;
  let file = -1;
  const open = () => {
    from = startingSize(path);
    return (file = openSync(path, 'a'));
  };
  return { path, open, close: () => closeSync(file), size: () => sizeOf(path), tail: () => lastLines(path, from) };
}

function startingSize(path: string): number {
  const size = sizeOf(path);
  if (size < KEPT_BYTES) return size;
  renameSync(path, `${path}.old`);
  return 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function lastLines(path: string, from: number): string {
  if (!existsSync(path)) return '(the log was removed)';
  const lines = readFileSync(path).subarray(from).toString('utf8').trimEnd().split('\n');
  return lines.slice(-15).join('\n');
}
