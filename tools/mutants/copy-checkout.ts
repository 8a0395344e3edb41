import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OWN_PACKAGES = '@ugc';

/**
 * Copies the files that are tracked or not ignored, and links the dependencies. The workspace packages resolve to the
 * copied sources.
 */
export function copyCheckout(from: string, to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: from, encoding: 'utf8' });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(from, file)));
  for (const file of files) cpSync(join(from, file), join(to, file));
  for (const file of files.filter((path) => path.endsWith('package.json')))
    linkDependencies(join(from, dirname(file)), join(to, dirname(file)));
}

function linkDependencies(from: string, to: string): void {
  const [source, target] = [join(from, 'node_modules'), join(to, 'node_modules')];
  if (!existsSync(source)) return;
  mkdirSync(target);
  for (const entry of readdirSync(source)) {
    // These links are relative, so that the copied links point into the copy.
    if (entry === OWN_PACKAGES) cpSync(join(source, entry), join(target, entry), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(source, entry), join(target, entry));
  }
}
