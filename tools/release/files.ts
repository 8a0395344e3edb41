import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from './changelog.ts';
import type { State } from './checks.ts';

/** Writes the packed client with its checksum, and the notes of the version. @returns their paths */
export function writeFiles(checkout: string, version: string, folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(checkout, 'packages/client') });
  const packed = readdirSync(folder);
  // As sha256sum --check reads it.
  const sums = packed.map((name) => `${createHash('sha256').update(readFileSync(join(folder, name))).digest('hex')}  ${name}\n`); // prettier-ignore
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(folder, 'NOTES.md'), notesOf(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8'), version));
  return [...packed, 'SHA256SUMS', 'NOTES.md'].map((name) => join(folder, name));
}

/** The commands of "Releases" in docs/operating.md for this version, and the line of the next commit. */
export function releaseCommands(checkout: string, { version, commit }: State): string[] {
  const [, section = ''] = /^## Releases\n(.*?)^## /ms.exec(readFileSync(join(checkout, 'docs/operating.md'), 'utf8')) ?? [];
  const [, tag = ''] = /`(git tag v\S+)`/.exec(section) ?? [];
  const [, build = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
  if (!tag || !build.includes('$(git rev-parse HEAD)')) throw new Error('"Releases" in docs/operating.md has no commands');
  return [
    tag.replace(/v\S+$/, `v${version} ${commit}`),
    ...build.replace(/\$\(node -p '[^']+'\)/, version).replace('$(git rev-parse HEAD)', commit).trimEnd().split('\n'), // prettier-ignore
    '',
    'The next commit adds this line to releases.json, from which the tests upgrade:',
    JSON.stringify({ version, commit }),
  ];
}
