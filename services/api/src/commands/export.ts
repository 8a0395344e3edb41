import { createCommand, EXIT, runCommand } from '@ugc/shared/cli/command';
import { exportFile } from '../import/export-items.ts';
import { DATABASE_EXIT_CODES, failureOf, withDatabase } from './with-database.ts';
import { writeLines } from './write-lines.ts';

const command = createCommand({
  name: 'npx pnpm run export',
  description:
    'Writes all items to standard output, one JSON object a line, as npx pnpm run import reads them, between a first line and a last ' +
    'one, by which an import tells whether the file is cut. Deleted items are left out. Items that change meanwhile are written as they ' +
    'are when they are read: for an exact copy of one moment, use npx pnpm backup.',
  exitCodes: {
    [EXIT.done]: 'all items are written',
    [EXIT.badResult]: 'PostgreSQL refuses the command, or the output cannot be written',
    ...DATABASE_EXIT_CODES,
    [EXIT.stopped]: 'stopped',
  },
  example: 'npx pnpm -s run export > collection.ndjson',
})
  .option('--no-thumbnails', 'leave out the pictures')
  .action(run);
await runCommand(command, failureOf);

async function run({ thumbnails }: { thumbnails: boolean }): Promise<void> {
  await withDatabase({ applicationName: 'ugc-export', statementTimeoutMs: 60_000 }, (database) =>
    writeLines(exportFile(database, { hasThumbnails: thumbnails })),
  );
}
