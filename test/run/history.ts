import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';

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

/** @returns the newest tag that is not this commit */
export function newestTag(): string | undefined {
  const tags = git('tag', '--sort=-version:refname', '--merged', 'HEAD', '--no-contains', 'HEAD') ?? '';
  return tags.split('\n').find(isName);
}

/** @returns the names of the files in a folder of a commit */
export function filesOf(revision: string, folder: string): string[] {
  const paths = git('ls-tree', '--name-only', revision, `${folder}/`) ?? '';
  return paths
    .split('\n')
    .filter(isName)
    .map((path) => basename(path));
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
