import { CHECKOUT } from '@ugc/local-stack/service-process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../servers/data-folder.ts';

/** A line that a recipe adds to a file: below another line, or as the beginning of a new file. */
export type Addition = { file: string; below: string | undefined; line: string };

/** What a recipe of CONTRIBUTING.md adds in its blocks of changes. */
export function recipe(title: string): Addition[] {
  const [, ownAndLater = ''] = readFileSync(join(CHECKOUT, 'CONTRIBUTING.md'), 'utf8').split(`\n**${title}**`);
  const [own = ''] = ownAndLater.split('\n**');
  return [...own.matchAll(/^( *)```diff\n(.*?)^ *```$/gms)].flatMap(([, indent = '', block = '']) => {
    const lines = block.trimEnd().split('\n').map((line) => line.slice(indent.length)); // prettier-ignore
    return additionsOf(lines);
  });
}

function additionsOf(lines: string[]): Addition[] {
  const additions: Addition[] = [];
  let [file, below]: [string, string | undefined] = ['', undefined];
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('+++ ')) [file, below] = [line.slice(4).replace('/NNN_', `/${nextMigration()}_`), undefined];
    else {
      if (line.startsWith('+')) additions.push({ file, below, line: text });
      below = text;
    }
  }
  return additions;
}

function nextMigration(): string {
  const numbers = readdirSync(join(CHECKOUT, 'packages/shared/migrations')).map((name) => Number.parseInt(name, 10));
  return String(Math.max(...numbers) + 1).padStart(3, '0');
}

const COPIED = ['packages', 'services', 'test', 'tools', 'docs', 'package.json', 'tsconfig.json', 'tsconfig.base.json'];

/** @returns a copy of the source with these additions, which ends with a slash */
export async function sourceWith(additions: Addition[]): Promise<string> {
  const folder = await dataFolder('source-');
  for (const name of COPIED) await cp(join(CHECKOUT, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  // The relative links of the packages lead to the copies, and through this one to all dependencies.
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  for (const addition of additions) add(folder, addition);
  return `${folder}/`;
}

/** @throws Error if the line is not in the file, or more than once */
function add(folder: string, { file, below, line }: Addition): void {
  const path = join(folder, file);
  if (below === undefined) return writeFileSync(path, `${line}\n`, { flag: 'wx' });
  const lines = readFileSync(path, 'utf8').split('\n');
  const found = lines.filter((each) => each === below).length;
  if (found !== 1) throw new Error(`${file} must have this line once, and has it ${found} times: ${below}`);
  writeFileSync(path, lines.flatMap((each) => (each === below ? [each, line] : [each])).join('\n'));
}
