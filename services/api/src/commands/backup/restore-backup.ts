import { printMessage } from '@ugc/shared/cli/output';
import type { Role } from './next-steps.ts';
import { OWN_IDENTITY } from './own-identity.ts';
import { BackupError, outputOf, runTool, type RunOptions } from './postgres-tools.ts';
import { REMOVE_TABLES } from './service-tables.ts';

type Options = Pick<RunOptions, 'env' | 'signal'>;
export type RestoreOptions = { role: Role; overwrite: boolean; privileges: boolean };

/** A backup of the first release has these tables too. */
const REQUIRED_TABLES = ['content', 'users', 'index_outbox', 'schema_migration'];

/**
 * Reads the whole file: its list of contents is at its beginning.
 * @throws BackupError if it is not a complete backup of this service
 */
export async function checkBackup(file: string, options: Options): Promise<void> {
  const refusal = `${file} cannot be read as a complete backup of this service`;
  const read = (arg: string): Promise<string> => outputOf(runTool('pg_restore', [arg, '--', file], options)).catch(explain(refusal));
  const contents = await read('--list');
  const missing = REQUIRED_TABLES.filter((table) => !new RegExp(` TABLE DATA \\S+ ${table} `).test(contents));
  if (missing.length > 0) throw new BackupError(`${refusal}: it lacks the tables ${missing.join(', ')}.`);
  printMessage(`Checking ${file}`);
  await read('--file=/dev/null');
}

/** Puts the sentence before what a program of PostgreSQL says. */
function explain(sentence: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof BackupError ? new BackupError(`${sentence}:\n${error.message}`) : error;
  };
}

/** One transaction removes the tables that are there and restores the file. The user of DATABASE_URL owns what is restored. */
export async function restoreBackup(file: string, options: Options & RestoreOptions): Promise<void> {
  const psql = runTool('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1'], { ...options, input: transaction(file, options) });
  await outputOf(psql).catch(explain('Nothing is restored; the database is as it was'));
}

/** Ends without the commit if pg_restore fails. The session of psql then ends, and PostgreSQL rolls the transaction back. */
async function* transaction(
  file: string,
  { role, overwrite, privileges, ...options }: Options & RestoreOptions,
): AsyncGenerator<string | Buffer> {
  yield 'set client_min_messages = warning;\nbegin;\n';
  if (overwrite) yield REMOVE_TABLES;
  const args = ['--file=-', '--no-owner', '--verbose', ...(privileges ? [] : ['--no-privileges'])];
  yield* runTool('pg_restore', [...args, '--', file], { ...options, onLine: reportStep });
  // The tables of the file may be in a schema that the service does not look in.
  yield `reset search_path;\nselect from ${REQUIRED_TABLES.join(', ')} limit 0;\n`;
  if (role === 'copy') yield `${OWN_IDENTITY};\n`;
  yield 'commit;\n';
}

function reportStep(line: string): void {
  const [, table] = /^pg_restore: processing data for table "(.*)"/.exec(line) ?? [];
  const [, index] = /^pg_restore: creating (?:INDEX|CONSTRAINT) "(.*)"/.exec(line) ?? [];
  if (table !== undefined) printMessage(`Restoring ${table}`);
  else if (index !== undefined) printMessage(`Indexing ${index}`);
}
