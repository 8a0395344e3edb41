import { compose } from '@ugc/fields/types/texts';
import { processName } from '@ugc/shared/postgres/earlier-processes';
import { createCommand, EXIT, parseIdAs, parseWith, runCommand, UsageError } from '@ugc/shared/cli/command';
import { progressBar } from '@ugc/shared/cli/output';
import type { Database } from '@ugc/shared/postgres/postgres';
import { throttle } from '@ugc/shared/timing/intervals';
import { toTimestamp } from '@ugc/items/changes/content-item';
import { visibleText } from '@ugc/items/fields/text';
import { exportFile, lastContentId } from '@ugc/items/files/export-items';
import { pastTime } from '@ugc/items/files/fields';
import { DATABASE_EXIT_CODES, failureOf, withDatabase } from './with-database.ts';
import { writeLines } from './write-lines.ts';

type Options = { thumbnails: boolean; tag?: string; updatedFrom?: number; after?: number; people?: boolean };

const Tag = visibleText({ max: 1_000 }).transform(compose);
const REPORT_EVERY_MS = 200;

const command = createCommand({
  name: 'npx pnpm run export',
  description:
    'Writes items to standard output, one JSON object a line, as npx pnpm run import reads them, between a first line and a last one, by ' +
    'which an import tells whether the file is cut. Deleted items are left out. Items that change meanwhile are written as they are ' +
    'when they are read: for an exact copy of one moment, use npx pnpm backup.',
  exitCodes: {
    [EXIT.done]: 'all items are written',
    [EXIT.badResult]: 'PostgreSQL refuses the command, or the output cannot be written',
    ...DATABASE_EXIT_CODES,
    [EXIT.stopped]: 'stopped; --after continues after the last item',
  },
  example: 'npx pnpm -s run export > collection.ndjson',
})
  .option('--no-thumbnails', 'leave out the pictures')
  .option('--tag <TAG>', 'only items with this tag', parseWith('--tag', Tag))
  .option('--updated-from <TIME>', 'only items that were stored or edited since, such as 2026-11-20', parseWith('--updated-from', pastTime))
  .option('--after <ID>', 'only items with a greater contentId: continues an export that was stopped after this item', parseIdAs('--after'))
  .option('--people', 'also all users, who has rated what, and blocks: personal data, for a move to another database')
  .action(run);
await runCommand(command, failureOf);

async function run({ thumbnails, tag, updatedFrom, after, people = false }: Options): Promise<void> {
  if (people && (tag !== undefined || updatedFrom !== undefined))
    throw new UsageError('--people is for an export of all items, without --tag and --updated-from');
  const selection = {
    ...(tag !== undefined && { tag }),
    ...(updatedFrom !== undefined && { updatedFrom: toTimestamp(new Date(updatedFrom)) }),
    ...(after !== undefined && { after }),
  };
  await withDatabase({ applicationName: processName('ugc-export'), statementTimeoutMs: 60_000 }, async (database) => {
    const lines = exportFile(database, { hasThumbnails: thumbnails, hasPeople: people, ...selection });
    // A terminal that shows the lines shows no bar between them.
    await writeLines(process.stdout.isTTY ? lines : withBar(lines, database));
  });
}

async function* withBar(lines: AsyncIterable<object>, database: Database): AsyncGenerator<object> {
  const bar = progressBar('Exporting', 'ids');
  const lastId = await lastContentId(database);
  let count = 0;
  const update = throttle(REPORT_EVERY_MS, (done: number) => bar.update(done, lastId, `${count.toLocaleString('en')} items`));
  try {
    for await (const line of lines) {
      yield line;
      if (!('contentId' in line)) continue;
      count += 1;
      update(Number(line.contentId));
    }
    bar.update(lastId, lastId, `${count.toLocaleString('en')} items`);
  } finally {
    bar.end();
  }
}
