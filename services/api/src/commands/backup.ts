import { createCommand, EXIT, getStopSignal, JSON_OPTION, runCommand } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { recordBackup } from '@ugc/shared/status/backup';
import { existsSync } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { BackupError, connectionOption, progressOption, requireTables, serverVersion, startProgram } from './postgres-programs.ts';
import { DATABASE_EXIT_CODES, failureOf, readDatabaseUrl, withDatabase } from './with-database.ts';

/** Which user has sent a prompt stays unknown to whoever has the file and later the key of the day. */
const DUMP = ['--format=custom', '--exclude-table-data=search_insight_user'];

const command = createCommand({
  name: 'npx pnpm backup',
  description:
    'Writes the database at DATABASE_URL to one file, while the service runs. Index and queue need no backup: they are filled ' +
    'from the database. Needs pg_dump and pg_restore on PATH, of the version of the server or newer.',
  exitCodes: {
    [EXIT.done]: 'the file is complete',
    [EXIT.badResult]: 'failed; there is no file',
    ...DATABASE_EXIT_CODES,
    [EXIT.stopped]: 'stopped; there is no file',
  },
  example: 'npx pnpm backup /var/backups/ugc.dump',
})
  .argument('[FILE]', 'the file to write (default: ugc-TIME.dump in the current folder)')
  .option(...JSON_OPTION)
  .action(backUp);
await runCommand(command, failureOf);

async function backUp(file = defaultName(), { json }: { json?: boolean }): Promise<void> {
  const url = readDatabaseUrl();
  const signal = getStopSignal();
  if (existsSync(file)) throw new BackupError(`${file} exists already: choose another name, or move it away.`);
  const server = await withDatabase({ url, applicationName: 'ugc-backup', statementTimeoutMs: 10_000 }, async (database) => {
    await requireTables(database);
    return serverVersion(database);
  });
  const unfinished = `${file}.unfinished-${process.pid}`;
  try {
    // The file contains everything that users have stored, so only this account may read it.
    await writeFile(unfinished, '', { flag: 'wx', mode: 0o600 });
    const args = [...DUMP, ...progressOption(), `--file=${unfinished}`, connectionOption(url)];
    await startProgram('pg_dump', args, { url, server, signal }).ended;
    // Reads the whole file.
    await startProgram('pg_restore', ['--file=/dev/null', unfinished], { url, server, signal }).ended;
    await rename(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
  const recorded = await record(url);
  const { size: bytes } = await stat(file);
  if (json) printJson({ file, bytes });
  else printLine(`${file} is complete (${(bytes / 1e6).toFixed(1)} MB). npx pnpm restore ${file} restores it.`);
  if (!recorded) printMessage('Its time could not be stored in the database, so that its age is not shown.');
}

/** The backup is complete. A database that lacks migrations, or is read-only, cannot keep its time. */
async function record(url: string): Promise<boolean> {
  return withDatabase({ url, applicationName: 'ugc-backup', statementTimeoutMs: 10_000 }, (database) =>
    recordBackup(database, 'npx pnpm backup'),
  ).then(
    () => true,
    () => false,
  );
}

function defaultName(): string {
  return `ugc-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}.dump`;
}
