import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';

/** @returns the newest tag that is not this commit */
export function newestTag(): string | undefined {
  const tags = git('tag', '--sort=-version:refname', '--merged', 'HEAD', '--no-contains', 'HEAD') ?? '';
  return tags.split('\n').find((tag) => tag !== '');
}

/** @returns the names of the files in a folder of a commit */
export function filesOf(revision: string, folder: string): string[] {
  const paths = git('ls-tree', '--name-only', revision, `${folder}/`) ?? '';
  return paths.split('\n').map((path) => basename(path));
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: CHECKOUT, encoding: 'utf8', stdio: 'pipe' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
