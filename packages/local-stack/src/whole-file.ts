import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that is whole or, if the process is killed meanwhile, as it was. */
export function writeWhole(path: string, text: string, mode = 0o644): void {
  const unfinished = `${path}.${process.pid}.unfinished`;
  writeFileSync(unfinished, text, { mode });
  renameSync(unfinished, path);
}
