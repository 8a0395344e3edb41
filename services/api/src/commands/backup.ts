import { createCommand, EXIT, getStopSignal, JSON_OPTION, runCommand } from '@ugc/shared/cli/command';
import { printJson } from '@ugc/shared/cli/output';
import { readEnv, storeEnv } from '@ugc/shared/process/env';
import { libpqEnv } from './backup/libpq-env.ts';
import { describeSize, writeBackup } from './backup/write-backup.ts';
import { requireTables } from './backup/service-tables.ts';
import { failureOf, withDatabase } from './with-database.ts';

const command = createCommand({
  name: 'npx pnpm backup',
  description:
    'Writes the database at DATABASE_URL to one file, while the service runs. Index and queue need no backup: they are filled ' +
    'from the database. Needs pg_dump on PATH, of the version of the server or newer.',
  exitCodes: {
    [EXIT.done]: 'the file is complete',
    [EXIT.badResult]: 'failed; there is no file',
    [EXIT.usage]: 'the arguments are wrong',
    [EXIT.tryAgain]: 'PostgreSQL does not respond; try again',
    78: 'DATABASE_URL is wrong',
    [EXIT.stopped]: 'stopped; there is no file',
  },
  example: 'npx pnpm backup /var/backups/ugc.dump',
})
  .argument('[FILE]', 'the file to write (default: ugc-TIME.dump in the current folder)')
  .option(...JSON_OPTION)
  .action(backUp);
await runCommand(command, failureOf);

function defaultName(): string {
  return `ugc-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}.dump`;
}

async function backUp(file = defaultName(), { json }: { json?: boolean }): Promise<void> {
  const { DATABASE_URL: url } = readEnv(storeEnv.pick({ DATABASE_URL: true }));
  const signal = getStopSignal();
  await withDatabase({ url, applicationName: 'ugc-backup', maxConnections: 1, statementTimeoutMs: 10_000 }, requireTables);
  const bytes = await writeBackup(file, { env: libpqEnv(url, 'ugc-backup', process.env), signal });
  if (json) printJson({ file, bytes });
  else console.log(`${file} is complete (${describeSize(bytes)}). npx pnpm restore ${file} restores it.`);
}
