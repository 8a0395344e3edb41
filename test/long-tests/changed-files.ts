import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFileSync } from 'node:child_process';

/** The files that differ from the first parent of HEAD, also if not committed. @returns undefined without history */
export function changedFiles(): string[] | undefined {
  try {
    const output = execFileSync('git', ['diff', '--name-only', '--no-renames', '-z', 'HEAD^1'], {
      cwd: CHECKOUT,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return output.split('\0').filter((file) => file !== '');
  } catch {
    return undefined;
  }
}
