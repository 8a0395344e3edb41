import { printMessage } from '@ugc/shared/cli/output';
import { BackupError, runTool } from './postgres-tools.ts';

type Options = { env: NodeJS.ProcessEnv; signal: AbortSignal };

/** A backup of the first release has these tables too. */
const REQUIRED_TABLES = ['content', 'users', 'index_outbox', 'schema_migration'];

/**
 * Reads the whole file, so that nothing is restored from a part of a backup.
 * @throws BackupError if it is not a complete backup of this service
 */
export async function checkBackup(file: string, options: Options): Promise<void> {
  const refusal = `${file} is not a complete backup of this service`;
  const contents = await runTool('pg_restore', ['--list', '--', file], options).catch(explain(refusal));
  const missing = REQUIRED_TABLES.filter((table) => !new RegExp(` TABLE DATA \\S+ ${table} `).test(contents));
  if (missing.length > 0) throw new BackupError(`${refusal}: it lacks the tables ${missing.join(', ')}.`);
  printMessage(`Checking ${file}`);
  await runTool('pg_restore', ['--file=/dev/null', '--', file], options).catch(explain(refusal));
}

/** Puts the sentence before what a program of PostgreSQL says. */
function explain(sentence: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof BackupError ? new BackupError(`${sentence}:\n${error.message}`) : error;
  };
}

/** Restores all or nothing. The user of DATABASE_URL owns what is restored. */
export async function restoreBackup(file: string, { privileges, ...options }: Options & { privileges: boolean }): Promise<void> {
  const args = ['--dbname=', '--single-transaction', '--exit-on-error', '--no-owner', '--verbose'];
  if (!privileges) args.push('--no-privileges');
  const ended = runTool('pg_restore', [...args, '--', file], { ...options, onLine: reportStep });
  await ended.catch(explain('Nothing is restored; the database holds no table of the service'));
}

function reportStep(line: string): void {
  const [, table] = /^pg_restore: processing data for table "(.*)"/.exec(line) ?? [];
  const [, index] = /^pg_restore: creating (?:INDEX|CONSTRAINT) "(.*)"/.exec(line) ?? [];
  if (table !== undefined) printMessage(`Restoring ${table}`);
  else if (index !== undefined) printMessage(`Indexing ${index}`);
}
