import { readlinkSync } from 'node:fs';

/** The disk or the quota is full, or the file has reached the size that `ulimit -f` allows. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** @param path undefined if it is unknown · @param otherwise how to name another file · @returns what failed, where, and what to do */
export function describeWriteFailure({ code, message }: NodeJS.ErrnoException, path: string | undefined, otherwise: string): string {
  const where = path === undefined || message.includes(path) ? '' : ` '${path}'`;
  const makeRoom = FULL.includes(code ?? '') ? 'make room there, or ' : '';
  return `${message}${where}: ${makeRoom}${otherwise}.`;
}

/** @returns the file that standard output is redirected to, where the system tells */
export function standardOutputPath(): string | undefined {
  try {
    const path = readlinkSync('/proc/self/fd/1');
    return path.startsWith('/') ? path : undefined;
  } catch {
    return undefined;
  }
}
