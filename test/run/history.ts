import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';

/** The files that differ from the first parent of HEAD, also if not committed. @returns undefined without history */
export function changedFiles(): string[] | undefined {
  return git('diff', '--name-only', '--no-renames', '-z', 'HEAD^1')?.split('\0').filter(isName);
}

/** The files that the last commits have changed, batch by batch; none without history. */
export function readHistory({ commits, batch }: { commits: number; batch: number }): string[][] {
  const log = git('log', `-${commits}`, '--name-only', '--no-renames', '--format=%x00') ?? '';
  const changed = log.split('\0').map((files) => files.split('\n').filter(isName));
  const starts = Array.from({ length: Math.floor(changed.length / batch) }, (_, n) => n * batch);
  return starts.map((start) => changed.slice(start, start + batch).flat());
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: CHECKOUT, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return undefined;
  }
}

function isName(file: string): boolean {
  return file !== '';
}
