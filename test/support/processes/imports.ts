import { expect } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../servers/data-folder.ts';
import { apiCommand, type Result } from './command.ts';
import { USERS, type Environment } from './environment.ts';

export type LineText = object | string | Buffer;

/** Runs imports of lines, each from a file of its own in one folder. */
export async function createImports(): Promise<{ folder: string; importOf: ImportOf }> {
  const folder = await dataFolder('import-');
  let files = 0;
  const importOf: ImportOf = async (env, lines, ...args) => {
    const file = join(folder, `${(files += 1)}.ndjson`);
    await writeFile(file, Buffer.concat(lines.flatMap((line) => [bytesOf(line), Buffer.from('\n')])));
    return { ...(await apiCommand(env, 'import', file, '--json', ...args)), file };
  };
  return { folder, importOf };
}

type ImportOf = (env: Environment, lines: LineText[], ...args: string[]) => Promise<Result & { file: string }>;

function bytesOf(line: LineText): Buffer {
  if (line instanceof Buffer) return line;
  return Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
}

/** An item of Ada. */
export function lineWith(fields: object): object {
  return { externalId: 'mods/81', creatorId: USERS.ada, name: 'Lighthouse at dusk', description: 'A wallpaper', version: 3, data: '{}', ...fields }; // prettier-ignore
}

/** The result of an import in which nothing has happened. */
export const NONE = { created: 0, changed: 0, unchanged: 0, ignored: 0, skipped: 0, deleted: 0, rejected: 0, seconds: expect.any(Number) };

export type ReportedLine = { line: number; externalId?: string; errors: { pointer?: string; detail: string }[]; text?: string };

export async function rejectedIn(file: string): Promise<ReportedLine[]> {
  const text = await readFile(`${file}.rejected.ndjson`, 'utf8');
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as ReportedLine); // prettier-ignore
}

/** @returns the lines of the items of an export */
export function itemsOf(exported: Result): Record<string, unknown>[] {
  return exported.json.slice(1, -1) as Record<string, unknown>[];
}
