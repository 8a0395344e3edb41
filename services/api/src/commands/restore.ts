import { createCommand, EXIT, getStopSignal, JSON_OPTION, parseWith, runCommand, UsageError } from '@ugc/shared/cli/command';
import { printJson, printMessage } from '@ugc/shared/cli/output';
import { describeDatabase, readIdentity } from '@ugc/shared/contracts/database-identity';
import { readEnv, storeEnv } from '@ugc/shared/process/env';
import type { Database } from '@ugc/shared/stores/postgres';
import { missingMigrations } from '@ugc/shared/stores/missing-migrations';
import { createInterface } from 'node:readline/promises';
import { z } from 'zod';
import { libpqEnv } from './backup/libpq-env.ts';
import { nextSteps, type Role } from './backup/next-steps.ts';
import { OWN_IDENTITY } from './backup/own-identity.ts';
import { BackupError } from './backup/postgres-tools.ts';
import { checkBackup, restoreBackup, type RestoreOptions } from './backup/restore-backup.ts';
import { presentTables, requireTables } from './backup/service-tables.ts';
import { failureOf, withDatabase } from './with-database.ts';

type Options = { as?: Role; overwrite?: boolean; privileges: boolean; json?: boolean };

const RoleName = z.enum(['replacement', 'copy'], 'must be replacement or copy');
/** Statistics of a large table take minutes. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

const command = createCommand({
  name: 'npx pnpm restore',
  description:
    'Restores a file of npx pnpm backup into the database at DATABASE_URL, all or nothing, and says what remains to be done. A ' +
    'replacement takes the place of the database that was backed up, and its indices; a copy stands beside it, with an identity ' +
    'and an index of its own. Without FILE, only this is settled, for a database that something else has restored. Needs ' +
    'pg_restore and psql on PATH, of the version of the server or newer.',
  exitCodes: {
    [EXIT.done]: 'restored',
    [EXIT.badResult]: 'failed; the message says what the database holds',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.tryAgain]: 'PostgreSQL does not respond; try again',
    78: 'DATABASE_URL is wrong',
    [EXIT.stopped]: 'stopped; nothing is restored',
  },
  example: 'npx pnpm restore /var/backups/ugc.dump --as replacement',
})
  .argument('[FILE]', 'the file to restore')
  .option('--as <ROLE>', 'what the database is from now on: replacement or copy; asked for if it is missing', parseWith('--as', RoleName))
  .option('--overwrite', 'replace the tables of the service that the database holds; they stay if the restore fails')
  .option('--no-privileges', 'restore no privileges, for example because the roles do not exist here')
  .option(...JSON_OPTION)
  .action(restore);
await runCommand(command, failureOf);

async function restore(file: string | undefined, { as, overwrite = false, privileges, json }: Options): Promise<void> {
  const { DATABASE_URL: url } = readEnv(storeEnv.pick({ DATABASE_URL: true }));
  const role = as ?? (await askForRole());
  const options = { url, applicationName: 'ugc-restore', maxConnections: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  await withDatabase(options, async (database) => {
    if (file !== undefined) await restoreFile(database, file, { url, role, overwrite, privileges });
    else await settle(database, role);
    await report(database, { role, json });
  });
}

async function askForRole(): Promise<Role> {
  if (!process.stdin.isTTY) throw new UsageError('--as must say what the database is from now on: replacement or copy');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer =
      await terminal.question(`Does this database replace the one that was backed up, and take over its indices? Or is it a copy that
stands beside it, and gets an identity and an index of its own? (replacement or copy) `);
    return parseWith('The answer', RoleName)(answer.trim());
  } finally {
    terminal.close();
  }
}

async function settle(database: Database, role: Role): Promise<void> {
  await requireTables(database);
  if (role === 'copy') await database.write(OWN_IDENTITY);
}

async function restoreFile(database: Database, file: string, { url, ...options }: RestoreOptions & { url: string }): Promise<void> {
  const present = await presentTables(database);
  if (present.length > 0 && !options.overwrite) {
    throw new BackupError(
      `The database at DATABASE_URL holds tables of this service (${present.join(', ')}). Name an empty database, or add --overwrite ` +
        'to replace them with all that they hold.',
    );
  }
  const run = { env: libpqEnv(url, 'ugc-restore', process.env), signal: getStopSignal() };
  await checkBackup(file, run);
  await restoreBackup(file, { ...run, ...options });
  await database.query('analyze');
}

async function report(database: Database, { role, json }: { role: Role; json: boolean | undefined }): Promise<void> {
  const missing = await missingMigrations(database);
  // Databases of the first release have no identity.
  const name = await readIdentity(database).then(describeDatabase, () => 'The database');
  const steps = nextSteps(role, missing);
  if (json) return printJson({ database: name, as: role, missingMigrations: missing, nextSteps: steps });
  printMessage(`${name} is a ${role}. What remains to be done:`);
  for (const [n, step] of steps.entries()) console.log(`${n + 1}. ${step}`);
}
