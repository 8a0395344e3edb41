import { printMessage } from '@ugc/shared/cli/output';
import { existsSync } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { BackupError, outputOf, runTool, type RunOptions } from './postgres-tools.ts';

type Options = Pick<RunOptions, 'env' | 'signal'>;

const REPORT_EVERY_MS = 10_000;

/**
 * Writes the database as one consistent state, in PostgreSQL's custom format. The file gets its name when it is complete.
 * @returns its size in bytes
 */
export async function writeBackup(file: string, options: Options): Promise<number> {
  if (existsSync(file)) throw new BackupError(`${file} exists already: choose another name, or move it away.`);
  const unfinished = `${file}.unfinished-${process.pid}`;
  const report = setInterval(() => void reportSize(unfinished), REPORT_EVERY_MS);
  try {
    await dump(unfinished, options);
    await rename(unfinished, file);
  } finally {
    clearInterval(report);
    await rm(unfinished, { force: true });
  }
  return (await stat(file)).size;
}

export function describeSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The file contains everything that users have stored, so only this account may read it. */
async function dump(file: string, options: Options): Promise<void> {
  await writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch((error: Error) => {
    throw new BackupError(`The file cannot be written: ${error.message}`);
  });
  // Which user has sent a prompt stays unknown to whoever has the file and later the key of the day.
  const without = '--exclude-table-data=search_insight_user';
  const args = ['--format=custom', '--verbose', without, `--file=${file}`];
  await outputOf(runTool('pg_dump', args, { ...options, onLine: reportTable }));
}

function reportTable(line: string): void {
  const [, table] = /^pg_dump: dumping contents of table "(.*)"/.exec(line) ?? [];
  if (table !== undefined) printMessage(`Saving ${table}`);
}

async function reportSize(file: string): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  printMessage(`${describeSize(size)} written`);
}
