import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { problemOfPath } from './files-below.ts';

const [FOLDERS_MAX, DEPTH_MAX, TEXTS_TRIED] = [50, 3, 5];
const ENDINGS = ['', '.png', '.jpg', '.jpeg', '.webp', '.gif'];

/**
 * Looks for the files that the texts of a column name, in a folder and those below it, also without the end of their names.
 * @returns the template of their names, such as `covers/{id}.png`; undefined if there are none
 */
export function fileFinder(folder: string): (column: string, texts: string[]) => string | undefined {
  let folders: string[] | undefined;
  return (column, texts) => {
    folders ??= foldersBelow(folder);
    const tried = texts.slice(0, TEXTS_TRIED).filter((text) => problemOfPath(text) === undefined);
    for (const text of tried)
      for (const below of folders)
        for (const ending of ENDINGS) {
          // A folder of this name is no file.
          const isFile = `${text}${ending}`.includes('.') && existsSync(join(folder, below, `${text}${ending}`));
          if (isFile) return `${below}{${column}}${ending}`;
        }
    return undefined;
  };
}

/** @returns paths that end with a slash, and first the folder itself */
function foldersBelow(folder: string): string[] {
  const found = [''];
  for (const below of found) {
    if (below.split('/').length > DEPTH_MAX || found.length >= FOLDERS_MAX) break;
    const inner = readdirSync(join(folder, below), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name),
    );
    found.push(...inner.map(({ name }) => `${below}${name}/`));
  }
  return found.slice(0, FOLDERS_MAX);
}
