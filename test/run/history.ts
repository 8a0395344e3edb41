import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

export type Release = { version: string; commit: string };

/** The newest release of releases.json; the first commit after a release adds it. */
export function newestRelease(): Release | undefined {
  return (JSON.parse(readFileSync(join(CHECKOUT, 'releases.json'), 'utf8')) as Release[]).at(-1);
}

/** @returns false in a shallow clone that ends after it */
export function hasCommit(revision: string): boolean {
  return git('cat-file', '-e', `${revision}^{commit}`) !== undefined;
}

/** Whether this clone lacks older commits, so that it cannot be cloned as a whole. */
export function isShallow(): boolean {
  return git('rev-parse', '--is-shallow-repository')?.trim() === 'true';
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
