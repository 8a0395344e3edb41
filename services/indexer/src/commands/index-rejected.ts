import { EXIT, JSON_OPTION, parseId, UsageError } from '@ugc/shared/cli/command';
import { printColumns, printJson, printMessage, progressBar } from '@ugc/shared/cli/output';
import { countChanges } from '@ugc/shared/outbox/backlog';
import { dropRejected, listRejected, retryRejected } from '@ugc/shared/outbox/rejected';
import { createIndexCommand, onRun, runIndexCommand, withStores, type CommandDeps, type JsonOption } from './index-command.ts';

const command = createIndexCommand({
  name: 'npx pnpm index:rejected',
  description: 'Lists, retries and drops items that Elasticsearch rejects.',
  exitCodes: { [EXIT.badResult]: 'some of the items are not rejected' },
  example: 'npx pnpm index:rejected retry 17 42',
});
onRun(command.command('list').description('list the rejected items with the reason'), list);
addChange('retry', retryRejected, 'index these items again, for example after a mapping change');
addChange('drop', dropRejected, 'drop these changes: until the next change, lists show the items as before, or not at all');
await runIndexCommand(command);

type Change = typeof retryRejected;
type ChangeOptions = { all?: boolean; json?: boolean };

function addChange(action: 'retry' | 'drop', apply: Change, description: string): void {
  command
    .command(action)
    .description(description)
    .argument('[ID...]', 'the ids of the items', (text, ids: number[] = []) => [...ids, parseId(text)])
    .option('--all', 'all rejected items; slow while many changes are pending; continues when it was stopped')
    .option(...JSON_OPTION)
    .action((ids: number[], options: ChangeOptions) => {
      const contentIds = chooseItems(ids, options.all ?? false);
      return withStores((deps) => change(deps, apply, { action, contentIds, json: options.json ?? false }))();
    });
}

function chooseItems(ids: number[], all: boolean): number[] | 'all' {
  if (all === ids.length > 0) throw new UsageError('specify either the ids of the items or --all');
  return all ? 'all' : ids;
}

async function list({ database }: CommandDeps, { json }: JsonOption): Promise<number> {
  const rejected = await listRejected(database);
  if (json) rejected.forEach(printJson);
  else if (rejected.length === 0) printMessage('Nothing is rejected.');
  else
    printColumns([
      ['item', 'revision', 'since', 'reason'],
      ...rejected.map((row) => [`${row.contentId}`, `${row.revision}`, row.since.toISOString(), row.reason]),
    ]);
  const total = await countChanges(database, 'rejected');
  if (total > rejected.length) printMessage(`These are the first ${rejected.length} of ${total} items.`);
  return EXIT.done;
}

type Choice = { action: string; contentIds: number[] | 'all'; json: boolean };

async function change({ database, signal }: CommandDeps, apply: Change, { action, contentIds, json }: Choice): Promise<number> {
  const bar = progressBar('Items');
  const progress = contentIds === 'all' ? bar.update : undefined;
  const changed = await apply(database, contentIds, { signal, progress }).finally(() => bar.end());
  const missing = contentIds === 'all' ? [] : contentIds.filter((id) => !changed.includes(id));
  if (json) printJson({ [action]: changed, notRejected: missing });
  else printMessage(`${action}: ${changed.length} of ${changed.length + missing.length} items`);
  if (!json && missing.length > 0) printMessage(`not rejected: ${missing.join(', ')}`);
  return missing.length > 0 ? EXIT.badResult : EXIT.done;
}
